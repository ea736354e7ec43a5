# SPDX-License-Identifier: MIT
"""Run at build time: python_pack.py OUT BOOT SOURCE… writes what descriptor 5 of a Python
kernel gives. After BOOT: the magic number of this interpreter's byte code; a dictionary that
gives for '' the code of the first section, and for each function of a later section the marshalled
code of that section; the source, compressed, for interpreters of other versions."""
import marshal
import re
import sys
import zlib
from importlib.util import MAGIC_NUMBER

out, boot, *files = sys.argv[1:]
source = ''
for file in files:
	with open(file, encoding='utf-8') as f:
		source += f.read()
names = re.findall(r'^(?:def|class) (\w+)', source, re.MULTILINE)
if len(names) != len(set(names)):  # all sections share one namespace: the later one would replace the other
	sys.exit('python_pack: defined twice: ' + ', '.join(sorted({name for name in names if names.count(name) > 1})))
first, *later = source.split('\n#: ')
code = {'': compile(first, '<terrarium>', 'exec')}
for text in later:
	section = marshal.dumps(compile('#: ' + text, '<terrarium>', 'exec'))
	for name in re.findall(r'^def (\w+)\(', text, re.MULTILINE):
		code[name] = section
with open(out, 'wb') as f, open(boot, 'rb') as start:
	f.write(start.read() + MAGIC_NUMBER + marshal.dumps(code) + b'\n#zlib\n' + zlib.compress(source.encode(), 9))
