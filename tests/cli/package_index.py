# SPDX-License-Identifier: MIT
"""package_index.py ADDRESS [CERTIFICATE KEY]: for tests of installing, a package index for pip and a registry for npm,
whose port is written to the file `port`; with a certificate by https. Each request is a line of the file
`requests`."""
import base64
import hashlib
import http.server
import io
import json
import os
import re
import ssl
import sys
import tarfile
import zipfile

address = sys.argv[1]
scheme = 'https' if sys.argv[2:] else 'http'
files = {}  # path: (type, bytes)


def wheel(name, version, modules, requires=()):
	info = f'{name}-{version}.dist-info'
	metadata = f'Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n'
	metadata += ''.join(f'Requires-Dist: {other}\n' for other in requires)
	texts = {**modules, f'{info}/METADATA': metadata,
		f'{info}/WHEEL': 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n'}
	texts[f'{info}/RECORD'] = ''.join(f'{path},,\n' for path in [*texts, f'{info}/RECORD'])
	out = io.BytesIO()
	with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as archive:
		for path, text in texts.items():
			archive.writestr(path, text)
	return out.getvalue()


def archive(folder, texts):
	out = io.BytesIO()
	with tarfile.open(fileobj=out, mode='w:gz') as tar:
		for path, text in texts.items():
			member = tarfile.TarInfo(f'{folder}/{path}')
			member.size = len(text)
			tar.addfile(member, io.BytesIO(text.encode()))
	return out.getvalue()


def publish(name, file, content, has_sum=True, sum_of=None):
	digest = '#sha256=' + hashlib.sha256(sum_of or content).hexdigest() if has_sum else ''
	files[f'/files/{file}'] = 'application/octet-stream', content
	page = files.get(f'/simple/{name}/', ('', b''))[1] + f'<a href="/files/{file}{digest}">{file}</a><br>\n'.encode()
	files[f'/simple/{name}/'] = 'text/html', page


# A package in source with a build backend of its own, which needs nothing else.
BACKEND = '''
import os, zipfile
def get_requires_for_build_wheel(config_settings=None): return []
def build_wheel(directory, config_settings=None, metadata_directory=None):
	name = 'insource-1.0-py3-none-any.whl'
	info = 'insource-1.0.dist-info/'
	with zipfile.ZipFile(os.path.join(directory, name), 'w') as w:
		w.writestr('insource.py', 'answer = 42')
		w.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: insource\\nVersion: 1.0\\n')
		w.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
		w.writestr(info + 'RECORD', '')
	return name
'''
PROJECT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
INFO = 'Metadata-Version: 2.1\nName: insource\nVersion: 1.0\n'
insource = archive('insource-1.0', {'pyproject.toml': PROJECT, 'backend.py': BACKEND, 'PKG-INFO': INFO})


# One that is built for as long as its terminal does not have 50 columns.
WAITING = '''
import os, time
tty = os.open('/dev/tty', os.O_RDWR)
os.write(tty, b'it waits for another size\\n')
until = time.monotonic() + 30
while os.get_terminal_size(tty).columns != 50 and time.monotonic() < until: time.sleep(0.05)
assert os.get_terminal_size(tty).columns == 50
'''
sized = archive('sized-1.0', {'pyproject.toml': PROJECT, 'backend.py': WAITING + BACKEND.replace('insource', 'sized'),
	'PKG-INFO': INFO.replace('insource', 'sized')})


def publish_python(port):
	publish('demo', 'demo-1.0-py3-none-any.whl', wheel('demo', '1.0', {'demo.py': 'version = "1.0"\n'}, ['helper>=1']))
	publish('helper', 'helper-1.5-py3-none-any.whl', wheel('helper', '1.5', {'helper.py': 'def f(): return "helped"\n'}))
	publish('plain', 'plain-2.0-py3-none-any.whl', wheel('plain', '2.0', {'plain.py': 'x = 2\n'}), has_sum=False)
	publish('insource', 'insource-1.0.tar.gz', insource)
	publish('sized', 'sized-1.0.tar.gz', sized)
	direct = f'insource @ {scheme}://{address}:{port}/files/insource-1.0.tar.gz'
	for version in '1.0', '2.0':
		publish('moves', f'moves-{version}-py3-none-any.whl', wheel('moves', version, {'moves/__init__.py': f'x = {version}\n'}))
	publish('direct', 'direct-1.0-py3-none-any.whl', wheel('direct', '1.0', {'direct.py': ''}, [direct]))
	# Newer ones than any distribution has.
	publish('numpy', 'numpy-99.0-py3-none-any.whl', wheel('numpy', '99.0', {'numpy/__init__.py': '__version__ = "99.0"\n'}))
	publish('six', 'six-99.0-py3-none-any.whl', wheel('six', '99.0', {'six.py': 'number = 99\n'}))
	publish('python-dateutil', 'python_dateutil-99.0-py3-none-any.whl',
		wheel('python_dateutil', '99.0', {'dateutil/__init__.py': 'import six\nnumber = six.number\n'}, ['six']))
	publish('forged', 'forged-1.0-py3-none-any.whl', wheel('forged', '1.0', {'forged.py': ''}), sum_of=b'another')
	publish('big', 'big-1.0-py3-none-any.whl', wheel('big', '1.0', {'big.txt': '0' * (40 << 20)}))


def publish_npm(port):
	package = {'name': 'tiny', 'version': '1.0.0', 'main': 'tiny.js'}
	content = archive('package', {'package.json': json.dumps(package), 'tiny.js': 'module.exports = () => "tiny";'})
	package['dist'] = {
		'tarball': f'{scheme}://{address}:{port}/npm/tiny/-/tiny-1.0.0.tgz',
		'integrity': 'sha512-' + base64.b64encode(hashlib.sha512(content).digest()).decode(),
	}
	about = {'name': 'tiny', 'dist-tags': {'latest': '1.0.0'}, 'versions': {'1.0.0': package}}
	files['/npm/tiny'] = 'application/json', json.dumps(about).encode()
	files['/npm/tiny/-/tiny-1.0.0.tgz'] = 'application/octet-stream', content


class Handler(http.server.BaseHTTPRequestHandler):
	def do_GET(self):
		kind, content = files.get(re.sub('[?].*', '', self.path), ('text/plain', None))
		self.send_response(200 if content is not None else 404)
		content = content or b'not found\n'
		self.send_header('Content-Type', kind)
		self.send_header('Content-Length', str(len(content)))
		self.end_headers()
		self.wfile.write(content)

	def log_message(self, form, *args):
		with open('requests', 'a') as log:
			log.write(self.path + '\n')


server = http.server.ThreadingHTTPServer((address, 0), Handler)
if sys.argv[2:]:
	context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
	context.load_cert_chain(*sys.argv[2:])
	# The handshake is each connection's own thread's: one that breaks it off shall not hold up the others.
	server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
port = server.server_address[1]
publish_python(port)
publish_npm(port)
with open('port.new', 'w') as out:
	out.write(str(port))
os.rename('port.new', 'port')
server.serve_forever()
