// SPDX-License-Identifier: MIT
import java.util.Scanner;

public class Greeter {
	record Word(String text) { }

	public static void main(String[] args) {
		Scanner in = new Scanner(System.in);
		System.out.println("hello " + new Word(args.length > 0 ? args[0] : "-").text() + " " + in.nextLine());
		System.exit(3);
	}
}
