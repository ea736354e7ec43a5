// SPDX-License-Identifier: MIT
public class Any {
	public static void main(String[] args) {
		int x = "text";
	}
}
