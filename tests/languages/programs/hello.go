package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	arg := "-"
	if len(os.Args) > 1 {
		arg = os.Args[1]
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Scan()
	fmt.Println("hello", arg, lines.Text())
	os.Exit(3)
}
