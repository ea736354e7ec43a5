# SPDX-License-Identifier: MIT
"""Run by python3 inside a sandbox: pip, where it can be found, with what a sandbox needs of it.

	fetch ARG…   wheels into WHEELS, from the index, or out of the cache where they are the same
	list         the cache's folder for it, and what fetch has added, as it shall be called in the cache
	put FOLDER ARG…  install from that folder of the cache only, what fetch has just completed
	build ARG…   install from the index, building what has no wheel
	unpack ARG…  what fetch has just completed, into a folder that goes into the cache as a set
	use SET ARG… have Python find what is in that set of the cache
"""
import glob
import hashlib
import os
import sys

# A sandbox without namespaces says where these are.
CACHE = os.environ.get('TERRARIUM_CACHE', '/var/cache/terrarium') + '/pip'
WHEELS = os.environ.get('TERRARIUM_WORKSPACE', '/workspace') + '/.terrarium-wheels'
SET = os.environ.get('TERRARIUM_WORKSPACE', '/workspace') + '/.terrarium-set'
CONFIGS = '/etc/pip.conf', os.path.expanduser('~/.config/pip/pip.conf'), os.path.expanduser('~/.pip/pip.conf')
INDEXES = 'PIP_INDEX_URL', 'PIP_EXTRA_INDEX_URL', 'PIP_FIND_LINKS', 'PIP_NO_INDEX'
CERTIFICATES = 'PIP_CERT', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'
SPAWNS = frozenset((
	'subprocess.Popen', 'os.system', 'os.exec', 'os.spawn', 'os.posix_spawn', 'os.fork', 'os.forkpty', 'pty.spawn'))


def index_folder():
	"""Packages of one name may differ from index to index: each has its own folder."""
	told = [os.environ.get(name, '') for name in INDEXES]
	for path in CONFIGS:
		try:
			with open(path) as file:
				told.append(file.read())
		except OSError:
			told.append('')
	return hashlib.sha256('\0'.join(told).encode('utf-8', 'surrogateescape')).hexdigest()[:16]


def pip_archive():
	"""None: pip is installed. Else the wheel that holds it, from which it runs as well."""
	import importlib.util
	if importlib.util.find_spec('pip'):
		return None
	places = ['/usr/share/python-wheels']
	bundled = importlib.util.find_spec('ensurepip')
	if bundled:
		places.append(os.path.join(os.path.dirname(bundled.origin), '_bundled'))
	for place in places:
		for archive in sorted(glob.glob(place + '/pip-*.whl')):
			return archive
	where = 'in the image' if os.path.isdir('/.terrarium') else 'on the host'
	sys.exit(f'there is no pip for this python3: install it {where} (apt install python3-pip, or the small python3-pip-whl)')


def explain_authorities():
	"""A pip that was told of a file, or a distribution's, trusts a file that a small image need not have."""
	path = next((os.environ[name] for name in CERTIFICATES if os.environ.get(name)), None)
	try:
		from pip._vendor import certifi
		path = path or certifi.where()
	except (ImportError, OSError):
		pass
	if path and not os.path.exists(path):
		print(f'pip can trust no https index: {path}, with the certificates of authorities, is not in the sandbox.'
			' Take an image with the package ca-certificates, or start the sandbox with a file of yours in PIP_CERT:'
			' it goes along (PIP_CERT=/etc/ssl/certs/ca-certificates.crt terrarium …)', file=sys.stderr)


def refuse_processes(event, args):
	if event in SPAWNS:
		raise PermissionError(1, 'what fetches packages runs no programs')


def fetch(args):
	os.makedirs(WHEELS, exist_ok=True)
	for wheel in glob.glob(f'{CACHE}/{index_folder()}/*.whl'):
		os.symlink(wheel, os.path.join(WHEELS, os.path.basename(wheel)))
	archive = pip_archive()
	if archive:
		sys.path.insert(0, archive)
	sys.addaudithook(refuse_processes)
	sys.argv = ['pip', 'download', '--only-binary=:all:', '--dest', WHEELS, *args]
	import runpy
	try:
		runpy.run_module('pip', run_name='__main__', alter_sys=True)
	except KeyboardInterrupt: # before pip could say so
		sys.exit(130)
	except SystemExit as end:
		if end.code:
			explain_authorities()
		raise


def show_list(args):
	print(index_folder() + '/')
	for wheel in glob.glob(WHEELS + '/*.whl'):
		if not os.path.islink(wheel):
			print(f'{index_folder()}/{os.path.basename(wheel)}')


# What the distribution has does not count as installed: what is installed here must not be built on a version of
# something that the next installation replaces. pip itself may lie there, and is loaded before.
PIP = '''
import sys
if sys.argv[1]:
	sys.path.insert(0, sys.argv[1])
import pip, runpy
sys.path[:] = [path for path in sys.path if not path.endswith('dist-packages')]
sys.argv[:2] = ['pip']
runpy.run_module('pip', run_name='__main__', alter_sys=True)
'''


def install(*options):
	import subprocess
	try:
		code = subprocess.call([sys.executable, '-c', PIP, pip_archive() or '', 'install', '--user',
			'--no-warn-script-location', *options])
	except KeyboardInterrupt:
		return 130
	if code == 0:
		hide_broken()
	return code if code >= 0 else 128 - code


def hide_broken():
	"""As in a set: modules of the distribution's that would now get other versions of what they need."""
	import site
	home = site.getusersitepackages()
	try:
		write_hiding(home)
		if os.path.exists(f'{home}/{HIDING_FILE}'):
			with open(f'{home}/terrarium-hiding.pth', 'w') as file:
				file.write(f"import sys; f = {home!r} + '/{HIDING_FILE}'; exec(open(f).read(), {{'__file__': f}})\n")
	except OSError as error:
		print(f'what of the distribution no longer works is not hidden: {error}', file=sys.stderr)


def put(args):
	"""Settings of pip's may be others here than where it was fetched: the folder is not ours to say."""
	folder = f'{CACHE}/{args[0]}'
	if not os.path.isdir(folder): # the cache was deleted since this sandbox began, or it sees another
		build(args[1:])
	sys.exit(install('--no-index', f'--find-links={folder}', *args[1:]))


def install_by_micromamba(args):
	"""Into the environment that is active in this sandbox."""
	import subprocess
	verb = 'update' if '--upgrade' in args else 'install'
	words = ['--file' if word == '-r' else word for word in args if word not in ('--upgrade', '--')]
	try:
		code = subprocess.call(['micromamba', verb, '--yes', '--prefix', os.environ['CONDA_PREFIX'],
			'--channel', 'conda-forge', *words])
	except KeyboardInterrupt:
		return 130
	return code if code >= 0 else 128 - code


def build(args):
	if os.environ.get('TERRARIUM_INSTALLER') == 'micromamba':
		sys.exit(install_by_micromamba(args))
	code = install(*args)
	if code not in (0, 130):
		sys.path.insert(0, pip_archive() or sys.path[0])
		explain_authorities()
	sys.exit(code)


def name_of(root):
	"""A sum of all that matters. Compiled files contain the time of their making."""
	total = hashlib.sha256()
	for folder, folders, files in os.walk(root):
		folders.sort()
		for name in sorted(files):
			path = os.path.join(folder, name)
			total.update(os.path.relpath(path, root).encode('utf-8', 'surrogateescape') + b'\0')
			os.chmod(path, os.stat(path).st_mode & 0o111 | 0o444)
			if not name.endswith('.pyc'):
				with open(path, 'rb') as file:
					total.update(hashlib.sha256(file.read()).digest())
	return total.hexdigest()[:32]


HIDING = """# Made by Terrarium: what of the distribution's does not go with the packages beside this file.
import glob, sys
HIDDEN = {hidden!r}
SHARED = {shared!r}


class Finder:
	@staticmethod
	def find_spec(name, path=None, target=None):
		if name in HIDDEN and not glob.glob(f"{{__file__.rpartition('/')[0]}}/{{name}}*"): # nor was it installed since
			raise ModuleNotFoundError(f"No module named {{name!r}} (the system's needs " + HIDDEN[name] + ")", name=name)


sys.meta_path[:] = [finder for finder in sys.meta_path if getattr(finder, 'terrarium', None) != __file__]
if HIDDEN:
	Finder.terrarium = __file__
	sys.meta_path.insert(0, Finder)
for name in SHARED:
	module = sys.modules.setdefault(name, type(sys)(name))
	module.__dict__.setdefault('__path__', []).insert(0, __file__.rpartition('/')[0] + '/' + name)
"""


def plain(name):
	return name.lower().replace('_', '-').replace('.', '-')


def find_broken(ours):
	"""Modules of the distribution's that would now get other versions of what they need, and of what."""
	import re
	from importlib import metadata
	theirs = {}
	for dist in metadata.distributions(path=[path for path in sys.path if path.endswith('dist-packages')]):
		if dist.metadata['Name']:
			theirs.setdefault(plain(dist.metadata['Name']), dist)
	changed = {name: f'another {name} than {version}' for name, version in ours.items()
		if name in theirs and theirs[name].version != version}
	broken, grows = {}, bool(changed)
	while grows:
		grows = False
		for name, dist in theirs.items():
			needs = [plain(re.match(r'[\w.-]*', text)[0]) for text in dist.requires or () if 'extra ==' not in text]
			if 'numpy' in changed and 'numpy' not in needs and is_built_on_numpy(dist):
				needs.append('numpy')
			why = next((changed.get(need) or broken.get(need) for need in needs if need in changed or need in broken), None)
			if why and name not in ours and name not in broken:
				broken[name] = why
				grows = True
	return {module: why for name, why in broken.items() for module in modules_of(theirs[name])}


def modules_of(dist):
	return (dist.read_text('top_level.txt') or dist.metadata['Name'].replace('-', '_')).split()


def is_built_on_numpy(dist):
	"""Many packages of Debian's declare nothing that they need. A module that was compiled for NumPy imports its table of
	functions by this name, and each major version of NumPy has another table."""
	for module in modules_of(dist):
		for path in glob.glob(f'{dist.locate_file(module)}/**/*.so', recursive=True):
			with open(path, 'rb') as file:
				if b'_ARRAY_API' in file.read():
					return True
	return False


def find_shared(root):
	"""Folders without __init__.py that a file of the distribution's claims for its own packages alone."""
	import re
	names = set()
	for path in glob.glob('/usr/lib/python3/dist-packages/*-nspkg.pth'):
		with open(path) as file:
			names.update(re.findall(r"\*\('(\w+)',?\)", file.read()))
	return sorted(name for name in names if os.path.isdir(f'{root}/{name}') and not os.path.exists(f'{root}/{name}/__init__.py'))


def write_hiding(root):
	from importlib import metadata
	ours = {plain(dist.metadata['Name']): dist.version for dist in metadata.distributions(path=[root])}
	hidden, shared = find_broken(ours), find_shared(root)
	hidden = {name: why for name, why in hidden.items() if not glob.glob(f'{root}/{name}') + glob.glob(f'{root}/{name}.*')}
	if hidden or shared:
		with open(f'{root}/{HIDING_FILE}', 'w') as file:
			file.write(HIDING.format(hidden=hidden, shared=shared))


def unpack(args):
	root = SET + '/files'
	archive = pip_archive()
	if archive:
		sys.path.insert(0, archive)
	sys.addaudithook(refuse_processes)
	sys.argv = ['pip', 'install', '--no-index', f'--find-links={WHEELS}', '--only-binary=:all:', '--ignore-installed',
		'--target', root + '/site-packages', '--no-warn-script-location', '--no-warn-conflicts', '--quiet', *args]
	import runpy
	try:
		runpy.run_module('pip', run_name='__main__', alter_sys=True)
	except SystemExit as end:
		if end.code:
			raise
	write_hiding(root + '/site-packages')
	with open(SET + '/name', 'w') as file:
		file.write(name_of(root) + '\n')


HIDING_FILE = '_terrarium_hiding.py'
PTH = """import sys; p = {0!r}; p in sys.path or sys.path.insert(next((i for i, at in enumerate(sys.path) if \
at.endswith(('dist-packages', 'site-packages'))), len(sys.path)), p)
"""


HIDING_PTH = PTH.replace('p in sys.path or', "f = p + '/{1}'; p in sys.path or exec(open(f).read(), {{'__file__': f}}); p in \
sys.path or", 1)


def use(args):
	"""By a line in a file that Python reads at its start, and our driver when it has changed. The newest line counts
	first: each puts its folder in front."""
	folder = f'{CACHE}/../sets/{args[0]}/site-packages'
	folder = os.path.normpath(folder)
	if not os.path.isdir(folder):
		sys.exit('the sandbox does not see the packages of this machine: it was started before they could be shared')
	import site
	home = site.getusersitepackages()
	os.makedirs(home, exist_ok=True)
	path = home + '/terrarium.pth'
	try:
		with open(path) as file:
			lines = file.readlines()
	except OSError:
		lines = []
	line = (HIDING_PTH if os.path.exists(f'{folder}/{HIDING_FILE}') else PTH).format(folder, HIDING_FILE)
	with open(path + '.new', 'w') as file:
		file.writelines([old for old in lines if old != line] + [line])
	os.rename(path + '.new', path)
	link_programs(folder + '/bin')
	names = sorted(os.path.basename(path)[:-10] for path in glob.glob(folder + '/*.dist-info'))
	print('Successfully installed ' + ' '.join(names))


def link_programs(folder):
	own = os.path.expanduser('~/.local/bin')
	for name in os.listdir(folder) if os.path.isdir(folder) else ():
		os.makedirs(own, exist_ok=True)
		if os.path.islink(f'{own}/{name}'):
			os.unlink(f'{own}/{name}')
		if not os.path.exists(f'{own}/{name}'):
			os.symlink(f'{folder}/{name}', f'{own}/{name}')


# Debian's Python is managed externally: but the home is the sandbox's own. What was fetched is kept by us.
os.environ.update(PIP_BREAK_SYSTEM_PACKAGES='1', PIP_NO_INPUT='1', PIP_DISABLE_PIP_VERSION_CHECK='1',
	PIP_NO_CACHE_DIR='1', PYTHONUNBUFFERED='1')
{'fetch': fetch, 'list': show_list, 'put': put, 'build': build, 'unpack': unpack, 'use': use}[sys.argv[1]](sys.argv[2:])
