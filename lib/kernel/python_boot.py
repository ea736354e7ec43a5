# SPDX-License-Identifier: MIT
# What `python3 -c` runs first: it reads these lines up to the blank one and leaves the rest
# of descriptor 5 in `f`. That is either code compiled when Terrarium was built, good if the
# interpreter is of the same version (2 ms faster), or just the source; see python_pack.py.
blob = f.read()
if blob[:4] == __import__('_frozen_importlib_external').MAGIC_NUMBER:
	code = __import__('marshal').loads(blob[4:])
else:
	packed = blob.rfind(b'\n#zlib\n') + 1
	source = (__import__('zlib').decompress(blob[packed + 6:]) if packed else blob[blob.index(b'# SPDX'):]).decode()
	code = {'': compile(source[:source.index('\n#: ')], '<terrarium>', 'exec'), 'source': source}
# With builtins of its own: what the user's code does to theirs does not reach the driver.
exec(code[''], {'__name__': '<terrarium>', '__builtins__': dict(vars(__import__('builtins'))), 'code': code})

