# SPDX-License-Identifier: MIT
"""fetch.py FOLDER NAME==VERSION...: put the source archives of these packages of the Python index into FOLDER.

pip finds and downloads them, so its settings count: index, proxy, certificates, credentials. `pip download` would run
each package's setup.py to learn what it depends on; this runs nothing of them. The caller compares the sums.
The last line on stderr is the reason of a failure.
"""
import glob
import logging
import os
import re
import sys

try:
	import pip
except ImportError:  # Debian's python3-pip-whl, which pip also runs from
	sys.path.extend(glob.glob('/usr/share/python-wheels/pip-*.whl'))

try:
	from pip._internal.commands.index import IndexCommand
	from pip._internal.exceptions import CommandError
	from pip._internal.network.utils import HEADERS, raise_for_status
except ImportError as why:
	sys.exit(f'there is no pip to fetch them with ({why})')

folder = sys.argv[1]


class Refusals(logging.Handler):
	"""pip logs why it cannot read a page of the index, and then finds nothing there."""
	last = None

	def emit(self, record):
		if record.msg.startswith('Could not fetch'):
			Refusals.last = re.sub(r'^.*\(Caused by (.*)\)$', r'\1', re.sub('<[^<>]*>: ', '', str(record.args[1])))


class Fetch(IndexCommand):
	def run(self, options, args):
		session = self._build_session(options)
		finder = self._build_package_finder(options, session)
		collector = logging.getLogger('pip._internal.index.collector')
		collector.addHandler(Refusals(logging.DEBUG))
		collector.setLevel(logging.DEBUG)
		for wanted in args:
			name, version = wanted.split('==')
			links = [found.link for found in finder.find_all_candidates(name)
				if str(found.version) == version and not found.link.is_wheel]
			if not links:
				raise CommandError(Refusals.last or f'the Python index has no sources of {name} {version}')
			self.save(session, links[0].url_without_fragment, f'{folder}/{name}-{version}.tar.gz')
		return 0

	@staticmethod
	def save(session, url, path):
		answer = session.get(url, headers=HEADERS)
		raise_for_status(answer)
		with open(path + '.part', 'wb') as file:
			file.write(answer.content)
		os.replace(path + '.part', path)


# Named as pip's own command, of which a user may have settings.
sys.exit(Fetch('download', '').main(['-qq', '--no-input', '--retries=1', '--disable-pip-version-check', *sys.argv[2:]]))
