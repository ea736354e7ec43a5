# SPDX-License-Identifier: MIT
"""A section of the Python driver that shows things: values that know how they look, and the figures of
matplotlib; see python.py. Functions of other sections are reached through later().

The methods are those that Jupyter's frontends ask for. A method that fails makes a line on stderr and
never the failure of the run; an interrupt goes through."""

#: display

import binascii
import io

DISPLAY_MAX = 16 << 20  # bytes of one display on their way, all its forms together
MEMBER_SIGNS = 6  # bytes: the signs around a form
ENCODED_BYTES = 48 << 10  # at a time; a multiple of three
METHODS = (
	('_repr_png_', 'image/png'), ('_repr_jpeg_', 'image/jpeg'), ('_repr_svg_', 'image/svg+xml'),
	('_repr_pdf_', 'application/pdf'), ('_repr_html_', 'text/html'), ('_repr_markdown_', 'text/markdown'), ('_repr_latex_', 'text/latex'),
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
	page = page_of(value)
	if page is not None:
		return {'text/html': page}
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


def page_of(value):
	"""A page that needs no network, for a figure of plotly: its own one fetches a script. None for other values."""
	types = sys.modules.get('plotly.basedatatypes')
	if types and isinstance(value, types.BaseFigure):
		return call_shown(plotly_page, value)
	return None


def plotly_page(figure):
	from plotly.io import to_html
	return to_html(figure, include_plotlyjs=True, validate=False)


def mime_bundle(method):
	"""Jupyter names what to leave in and out; some methods do not expect that."""
	try:
		return method(include=None, exclude=None)
	except TypeError:
		return method()


def first_of(data):
	"""Jupyter's methods may give (data, metadata)."""
	return data[0] if isinstance(data, tuple) and data else data


def forms_of(bundle):
	"""The forms that fit into one display: JSON strings, and views of bytes that are to be encoded. What does not
	fit is said."""
	forms, too_big, room = {}, [], DISPLAY_MAX
	for mime, data in bundle.items():
		is_text = isinstance(data, str)
		if not isinstance(mime, str) or not (is_text or isinstance(data, (bytes, bytearray, memoryview))):
			continue
		if is_text:
			form = quote(data).encode() if len(data) <= room else data
			size = len(form)
		else:
			form = memoryview(bytes(data) if isinstance(data, memoryview) else data)
			size = (len(form) + 2) // 3 * 4
		if size + len(mime) + MEMBER_SIGNS <= room:
			forms[mime] = form
			room -= size + len(mime) + MEMBER_SIGNS
		else:
			too_big.append(f'{mime} left out: {len(data) if is_text else size} characters are too many to show')
	if too_big and len(forms) < 2:
		forms['text/plain'] = quote('\n'.join(too_big)).encode()
	return forms


def pieces_of(head, forms):
	"""A display as pieces of bytes: a figure may be large, and each copy of it costs."""
	yield head.encode()
	for i, (mime, form) in enumerate(forms.items()):
		yield f'{"," if i else ""}{quote(mime)}:'.encode()
		if isinstance(form, bytes):
			yield form
			continue
		yield b'"'
		for at in range(0, len(form), ENCODED_BYTES):
			yield binascii.b2a_base64(form[at:at + ENCODED_BYTES], newline=False)
		yield b'"'
	yield b'}}\n'


def put_bundle(bundle, title='', source=''):
	forms = forms_of(bundle)
	if not forms or in_child:
		return
	flush()
	if run_id is None:
		text = f'a display ({", ".join(map(str, bundle))}) came after its run had ended\n'
		return later('put_shielded')(f'{{"ev":"late","stream":"stderr","text":{quote(text)}}}\n')
	for fd in 1, 2:  # three pipes do not tell their reader which was written first
		later('settle')(fd)
	facts = ''.join(f',"{name}":{quote(text)}' for name, text in (('title', title), ('source', source)) if text)
	later('put_shielded')(pieces_of(f'{{"ev":"display","id":{run_id}{facts},"data":{{', forms))
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
			put_bundle({**bundle, **plain_of(value)} if 'text/plain' not in bundle else bundle, title_of(value))


def put_display(value, raw):
	if raw and isinstance(value, dict):
		put_bundle(value)
	else:
		put_bundle({**plain_of(value), **bundle_of(value)}, title_of(value))


def share_display(module):
	"""IPython's display() knows no frontend here."""
	module.display = display

# ---- figures of matplotlib -------------------------------------------------------------

shown = {}  # figures shown in this run, by id; those that have not changed since are not shown again


def is_figure(value):
	module = sys.modules.get('matplotlib.figure')
	return module is not None and isinstance(value, getattr(module, 'Figure', ()))


def png_of(figure):
	"""The whole figure, in the size that the code gave it."""
	out = io.BytesIO()
	figure.canvas.print_figure(out, format='png', dpi=figure.dpi,
		facecolor=figure.get_facecolor(), edgecolor=figure.get_edgecolor())
	shown[id(figure)] = figure
	figure.stale = False
	return out.getvalue()


TITLE_MAX = 100  # characters


def title_of(value):
	"""What stands over a figure; '' for other values."""
	try:
		if not is_figure(value):
			return ''
		above = [value._suptitle, *(axes.title for axes in value.axes)]
		return next((text.get_text() for text in above if text and text.get_text()), '')[:TITLE_MAX]
	except Exception:
		return ''


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
	take_colors(matplotlib)


def take_colors(matplotlib):
	"""The workbench's, where it is asked for: ground and text. What code or a style sets comes later and counts."""
	colors = os.environ.get('TERRARIUM_PLOT_COLORS', '').split(',')
	if len(colors) != 2:
		return
	ground, text = colors
	try:
		rc = matplotlib.rcParams
		for name in ('figure.facecolor', 'axes.facecolor', 'savefig.facecolor'):
			rc[name] = ground
		for name in ('text.color', 'axes.edgecolor', 'axes.labelcolor', 'xtick.color', 'ytick.color', 'patch.edgecolor'):
			rc[name] = text
	except Exception:
		pass  # not the matplotlib that we know


def share_manager(module):
	"""figure.show()"""
	try:
		module.FigureManagerBase.show = lambda manager: show_figure(manager.canvas.figure)
	except AttributeError:
		pass


SAVED = {'png': 'image/png', 'jpg': 'image/jpeg', 'jpeg': 'image/jpeg', 'svg': 'image/svg+xml', 'pdf': 'application/pdf'}


def share_savefig(module):
	"""A figure that is saved is shown as the file that it became."""
	savefig = module.Figure.savefig

	def save_and_show(self, fname, *args, **named):
		result = savefig(self, fname, *args, **named)
		call_shown(show_saved, self, fname, named.get('format'))
		return result
	save_and_show.__doc__, save_and_show.__name__, save_and_show.__wrapped__ = savefig.__doc__, 'savefig', savefig
	module.Figure.savefig = save_and_show


def show_saved(figure, path, kind):
	"""`kind` None: by the ending of the file, or what matplotlib takes then."""
	if run_id is None or in_child or not isinstance(path, (str, os.PathLike)):
		return
	path = os.fsdecode(os.fspath(path))
	ending = os.path.splitext(path)[1][1:]
	if not kind and not ending:
		kind = sys.modules['matplotlib'].rcParams['savefig.format']
		path = path.rstrip('.') + '.' + kind
	if put_file_shown(path, SAVED.get((kind or ending).lower()), title_of(figure)):
		shown[id(figure)] = figure
		figure.stale = False


def put_file_shown(path, mime, title):
	"""A file that code has saved. False: it is of no kind that is shown, or not there, as in a file system that is a library's
	own."""
	if not mime or run_id is None or in_child or not os.path.isfile(path):
		return False
	name = os.path.basename(path)
	if os.path.getsize(path) > DISPLAY_MAX // 4 * 3:
		put_bundle({'text/plain': f'{name} is saved, but too big to show: {os.path.getsize(path)} bytes'})
		return True
	with open(path, 'rb') as file:
		data = file.read()
	if mime.endswith('xml') or mime.startswith('text/'):
		data = data.decode('utf-8', 'replace')
	put_bundle({mime: data, 'text/plain': name}, title or name, 'saved')
	return True


def share_show(pyplot):
	def show(*args, block=None, **others):
		later('show_open')(block)
	show.__doc__ = 'Show all open figures.'
	pyplot.show = show

# ---- other libraries, each by the hook that it has for front ends -------------------------

def share_plotly(module):
	"""fig.show() asks a renderer. Ours makes a page that needs no network."""
	class Renderer(sys.modules['plotly.io._base_renderers'].ExternalRenderer):
		def render(self, figure):
			html = later('plotly_page')(figure)
			title = (figure.get('layout') or {}).get('title') or ''
			title = (title.get('text') or '' if isinstance(title, dict) else str(title))[:TITLE_MAX]
			put_bundle({'text/html': html, 'text/plain': f'<plotly figure{": " + title if title else ""}>'}, title)
	module.renderers['terrarium'] = Renderer()
	if 'PLOTLY_RENDERER' not in os.environ:
		module.renderers.default = 'terrarium'


def share_bokeh(module):
	"""show() opens a browser, or what output_notebook() names: there is neither."""
	def show(obj, *args, **named):
		state = module.curstate()
		if state.file:
			sys.modules['bokeh.io.saving'].save(obj, state=state)
		from bokeh.embed import file_html
		from bokeh.resources import INLINE
		title = getattr(getattr(obj, 'title', None), 'text', None) or ''
		title = title[:TITLE_MAX] if isinstance(title, str) else ''
		put_bundle({'text/html': file_html(obj, INLINE, title or 'Bokeh Plot'),
			'text/plain': f'<bokeh figure{": " + title if title else ""}>'}, title)
	show.__doc__ = 'Show a figure as a page that needs no network.'
	module.show = show


def share_altair(module):
	"""chart.show() and display() want a browser or IPython."""
	def show(self, *args, **named):
		later('put_display')(self, False)
	module.TopLevelMixin.show = module.TopLevelMixin.display = show


def share_pillow(module):
	"""image.show() asks viewers, which are programs with windows."""
	class Viewer(module.Viewer):
		def show(self, image, **options):
			out = io.BytesIO()
			try:
				image.save(out, 'PNG')
			except OSError:  # PNG has no such colors
				out = io.BytesIO()
				image.convert('RGB').save(out, 'PNG')
			put_bundle({'image/png': out.getvalue(), 'text/plain': repr(image)}, str(options.get('title') or '')[:TITLE_MAX])
			return 1
	module.register(Viewer(), 0)
