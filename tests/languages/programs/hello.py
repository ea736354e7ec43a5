# SPDX-License-Identifier: MIT
import sys


def main():
    print("hello", sys.argv[1] if len(sys.argv) > 1 else "-", input())
    return 3


if __name__ == "__main__":
    sys.exit(main())
