# SPDX-License-Identifier: MIT
"""A section of the Python driver that shows things: values that know how they look, and the figures of
matplotlib; see python.py. Functions of other sections are reached through later().

The methods are those that Jupyter's frontends ask for. A method that fails makes a line on stderr and
never the failure of the run; an interrupt goes through."""

#: display

import binascii
import io

DISPLAY_MAX = 16 << 20  # bytes of one display on their way, all its forms together
METHODS = (
	('_repr_png_', 'image/png'), ('_repr_jpeg_', 'image/jpeg'), ('_repr_svg_', 'image/svg+xml'),
	('_repr_html_', 'text/html'), ('_repr_markdown_', 'text/markdown'), ('_repr_latex_', 'text/latex'),
)


def call_shown(function, *args, **named):
	"""What a method of the user's gives; None if it fails, after a line that says so."""
	try:
		return function(*args, **named)
	except Exception as e:
		complain(function, e)
		return None


def complain(function, error):
	name = getattr(function, '__qualname__', '') or type(function).__name__
	try:
		message = str(error)
	except Exception:
		message = ''
	flush()
	stderr.write(f'display: {name}() failed: {type(error).__name__}{": " + message if message else ""}\n')
	flush()


def bundle_of(value):
	"""MIME types and data that the value's class offers."""
	bundle, kind = {}, type(value)
	if callable(getattr(kind, '_repr_mimebundle_', None)):
		data = first_of(call_shown(mime_bundle, value._repr_mimebundle_))
		if isinstance(data, dict):
			bundle.update(data)
	for method, mime in METHODS:
		if mime not in bundle and callable(getattr(kind, method, None)):
			bundle[mime] = first_of(call_shown(getattr(value, method)))
	if is_figure(value):
		bundle['image/png'] = call_shown(png_of, value)
	return {mime: data for mime, data in bundle.items() if data is not None}


def mime_bundle(method):
	"""Jupyter names what to leave in and out; some methods do not expect that."""
	try:
		return method(include=None, exclude=None)
	except TypeError:
		return method()


def first_of(data):
	"""Jupyter's methods may give (data, metadata)."""
	return data[0] if isinstance(data, tuple) and data else data


def members_of(bundle):
	"""JSON members: forms beyond what one display may take are left out, and that is said."""
	members, too_big, room = [], [], DISPLAY_MAX
	for mime, data in bundle.items():
		if isinstance(data, (bytes, bytearray, memoryview)):
			data = binascii.b2a_base64(data, newline=False).decode()
		if not isinstance(mime, str) or not isinstance(data, str):
			continue
		member = f'{quote(mime)}:{quote(data)}' if len(data) <= room else ''
		if 0 < len(member) <= room:
			members.append(member)
			room -= len(member)
		else:
			too_big.append(f'{mime} left out: {len(data)} characters are too many to show')
	if too_big and len(members) < 2:
		members = [member for member in members if not member.startswith('"text/plain"')]
		members.append('"text/plain":' + quote('\n'.join(too_big)))
	return members


def put_bundle(bundle):
	members = members_of(bundle)
	if not members or in_child:
		return
	flush()
	if run_id is None:
		text = f'a display ({", ".join(map(str, bundle))}) came after its run had ended\n'
		return later('put_shielded')(f'{{"ev":"late","stream":"stderr","text":{quote(text)}}}\n')
	for fd in 1, 2:  # three pipes do not tell their reader which was written first
		later('settle')(fd)
	later('put_shielded')(f'{{"ev":"display","id":{run_id},"data":{{{",".join(members)}}}}}\n')
	later('settle')(events)


def plain_of(value):
	text = call_shown(repr, value)
	return {} if text is None else {'text/plain': text[:VALUE_MAX]}


def show_rich(value):
	"""Show the value of the last expression, if it is of a class that knows more than repr()."""
	kind = type(value)
	if is_figure(value) or any(hasattr(kind, method) for method, _ in METHODS) or hasattr(kind, '_repr_mimebundle_'):
		bundle = bundle_of(value)
		if bundle:
			put_bundle({**bundle, **plain_of(value)} if 'text/plain' not in bundle else bundle)


def put_display(value, raw):
	if raw and isinstance(value, dict):
		put_bundle(value)
	else:
		put_bundle({**plain_of(value), **bundle_of(value)})


def share_display(module):
	"""IPython's display() knows no frontend here."""
	module.display = display

# ---- figures of matplotlib -------------------------------------------------------------

shown = {}  # figures shown in this run, by id; those that have not changed since are not shown again


def is_figure(value):
	module = sys.modules.get('matplotlib.figure')
	return module is not None and isinstance(value, getattr(module, 'Figure', ()))


def png_of(figure):
	"""As Jupyter shows it: cut to what is on it."""
	out = io.BytesIO()
	figure.canvas.print_figure(out, format='png', dpi=figure.dpi, bbox_inches='tight',
		facecolor=figure.get_facecolor(), edgecolor=figure.get_edgecolor())
	shown[id(figure)] = figure
	figure.stale = False
	return out.getvalue()


def show_figure(figure):
	if figure.axes or figure.lines or figure.texts or figure.images or figure.patches or getattr(figure, 'subfigs', None):
		later('put_display')(figure, False)


def show_open(block=None):
	"""plt.show(): all open figures. They are closed then, as in Jupyter and as when their windows are, but
	not by plt.pause(), which goes on to draw."""
	pyplot = sys.modules['matplotlib.pyplot']
	for number in pyplot.get_fignums():
		show_figure(pyplot.figure(number))
	if block is not False:
		pyplot.close('all')


def end_figures(error):
	"""At the end of a run the figures that were not shown are. Gives what has ended the run."""
	global state
	try:
		state = RUNNING
		pyplot = sys.modules['matplotlib.pyplot']
		if not isinstance(error, KeyboardInterrupt) and hasattr(pyplot, 'get_fignums'):
			for number in pyplot.get_fignums():
				figure = pyplot.figure(number)
				if id(figure) not in shown or figure.stale:
					call_shown(show_figure, figure)
			pyplot.close('all')
		shown.clear()
		state = ENDING
	except BaseException as e:
		state = ENDING
		error = error or e
	return error


def find_rc():
	"""Debian's matplotlib has its settings in /etc, which is not the host's here; they lie in /usr as well."""
	rc = '/usr/share/matplotlib/mpl-data/matplotlibrc'
	if not os.path.exists('/etc/matplotlibrc') and os.path.exists(rc):
		os.environ.setdefault('MATPLOTLIBRC', rc)
	if not os.path.exists('/etc/fonts/fonts.conf') and 'FONTCONFIG_FILE' not in os.environ:
		later('write_fonts')()  # or fc-list, which matplotlib asks for fonts, complains


def write_fonts():
	directory = os.path.expanduser('~/.config/fontconfig')
	try:
		os.makedirs(directory, exist_ok=True)
		with open(directory + '/fonts.conf', 'x') as file:
			file.write('<?xml version="1.0"?>\n<fontconfig><dir>/usr/share/fonts</dir>'
				'<cachedir prefix="xdg">fontconfig</cachedir></fontconfig>\n')
		os.environ['FONTCONFIG_FILE'] = directory + '/fonts.conf'
	except OSError:
		pass  # no room, or there is one already


def choose_backend(matplotlib):
	"""Draw in memory, unless another way was asked for: to look for windows takes time."""
	try:
		if 'MPLBACKEND' not in os.environ:
			matplotlib.rcParams['backend'] = 'agg'
	except Exception:
		pass  # not the matplotlib that we know


def share_manager(module):
	"""figure.show()"""
	try:
		module.FigureManagerBase.show = lambda manager: show_figure(manager.canvas.figure)
	except AttributeError:
		pass


def share_show(pyplot):
	def show(*args, block=None, **others):
		later('show_open')(block)
	show.__doc__ = 'Show all open figures.'
	pyplot.show = show
