# SPDX-License-Identifier: MIT
"""Run a program while double.py serves: with_double.py [OPTION OF THE DOUBLE…] -- PROGRAM ARG…

The program finds the server by MSB_SERVER_URL. Exits as the program does."""
import os
import subprocess
import sys


def main():
	at = sys.argv.index('--')
	here = os.path.dirname(os.path.abspath(__file__))
	double = subprocess.Popen([sys.executable, '-B', os.path.join(here, 'double.py'), *sys.argv[1:at]],
		stdout=subprocess.PIPE, text=True)
	env = {**os.environ, 'MSB_SERVER_URL': double.stdout.readline().strip()}
	env.pop('MSB_API_KEY', None)
	try:
		return subprocess.call(sys.argv[at + 1:], env=env)
	finally:
		double.terminate()
		double.wait()


if __name__ == '__main__':
	sys.exit(main())
