// SPDX-License-Identifier: MIT
/* The kernel driver for Java. What is spoken on its descriptors is in kernel.h.
 *
 * Code is evaluated by JShell's API in this very process: pieces that the parser tells apart are compiled one by one,
 * and each runs in a thread of its own, which an interrupt can stop. The host starts this file by way of a shell, as
 * `java` takes no source from a pipe; the folder that the file lies in is the argument. If `terrarium langs --prepare` has
 * compiled this very file, the class is started instead, with CLASSPATH as the second argument. */
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import com.sun.source.util.JavacTask;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import jdk.jshell.Diag;
import jdk.jshell.EvalException;
import jdk.jshell.JShell;
import jdk.jshell.JShellException;
import jdk.jshell.Snippet;
import jdk.jshell.SnippetEvent;
import jdk.jshell.SourceCodeAnalysis;
import jdk.jshell.SourceCodeAnalysis.CompletionInfo;
import jdk.jshell.SourceCodeAnalysis.Completeness;
import jdk.jshell.UnresolvedReferenceException;
import jdk.jshell.VarSnippet;
import jdk.jshell.DeclarationSnippet;
import jdk.jshell.execution.LocalExecutionControl;
import jdk.jshell.spi.ExecutionControl;
import jdk.jshell.spi.ExecutionControlProvider;
import jdk.jshell.spi.ExecutionEnv;

public class Terrarium {
	static final int VALUE_MAX = 1_000_000, ROWS_MAX = 200, ROW_MAX = 4000, MESSAGE_MAX = 100_000, SHORT = 200;
	static final int SPARE_SETS = 4;
	static final String EXIT = "Terrarium$Exit";
	enum State { WAITING, TAKEN, RUNNING, ENDING }

	static InputStream requests;
	static OutputStream events;
	static JShell shell;
	static Control control;
	static State state = State.WAITING; // guarded by the class, as are the next two
	static boolean isEarly, isStopped;
	static volatile String runId;
	static volatile long compileUs; // of a whole program
	static final InheritableThreadLocal<Integer> owner = new InheritableThreadLocal<>(); // the run that a thread is of
	static volatile int run;
	static final Output out = new Output("stdout", 1), err = new Output("stderr", 2);
	static final Input in = new Input();

	// ---- descriptors and events -------------------------------------------------------------

	static synchronized void setState(State next) { state = next; }
	static synchronized boolean goesOn() { return isStopped && state == State.RUNNING; }

	static void put(Map<String, Object> event) {
		byte[] line = (Json.text(event) + "\n").getBytes(StandardCharsets.UTF_8);
		try {
			synchronized (events) {
				events.write(line);
			}
		} catch (IOException e) {
			Runtime.getRuntime().halt(1); // nobody listens any more
		}
	}

	static Map<String, Object> map(Object... pairs) {
		Map<String, Object> map = new LinkedHashMap<>();
		for (int i = 0; i < pairs.length; i += 2)
			map.put((String) pairs[i], pairs[i + 1]);
		return map;
	}

	/* What an earlier run has started, and is not a pool that all share. */
	static boolean isLate() {
		Integer mine = owner.get();
		return mine != null && mine != run && !(Thread.currentThread() instanceof ForkJoinWorkerThread);
	}

	static class Output extends OutputStream {
		final String name;
		final int fd;
		OutputStream to;

		Output(String name, int fd) {
			this.name = name;
			this.fd = fd;
			use(0);
		}

		/* Write to that output set from now on. */
		final void use(int set) {
			try {
				to = new FileOutputStream("/proc/self/fd/" + (set == 0 ? fd : 7 + 2 * set + fd));
			} catch (IOException e) {
				to = OutputStream.nullOutputStream();
			}
		}

		@Override public void write(int b) throws IOException { write(new byte[] { (byte) b }, 0, 1); }

		@Override public void write(byte[] bytes, int at, int n) throws IOException {
			if (isLate())
				put(map("ev", "late", "stream", name, "text", new String(bytes, at, n, StandardCharsets.UTF_8)));
			else
				to.write(bytes, at, n);
		}
	}

	static void openStreams() {
		System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
		System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
		System.setIn(in);
	}

	/* A thread of its own reads when somebody wants a line: so who waits can be interrupted. */
	static class Input extends InputStream {
		private byte[] bytes = {};
		private int at;
		private boolean isWanted, isEnd;
		private FileInputStream from;

		private void pump() {
			byte[] chunk = new byte[65536];
			while (true) {
				int n;
				try {
					synchronized (this) {
						while (!isWanted)
							wait();
					}
					n = from.read(chunk);
				} catch (IOException | InterruptedException e) {
					n = -1;
				}
				synchronized (this) {
					isWanted = false;
					isEnd = n < 0;
					bytes = n < 0 ? new byte[0] : Arrays.copyOf(chunk, n);
					at = 0;
					notifyAll();
				}
			}
		}

		private void ask() throws IOException {
			if (from == null) {
				from = new FileInputStream("/proc/self/fd/0");
				Thread reader = new Thread(this::pump, "stdin");
				reader.setDaemon(true);
				reader.start();
			}
			if (isWanted)
				return;
			if (runId != null && from.available() == 0)
				put(map("ev", "input", "id", runId, "prompt", "", "secret", false));
			isWanted = true;
			notifyAll();
		}

		/* Bytes that can be read without waiting, or 0 at the end. */
		private int fill() throws IOException {
			while (at == bytes.length) {
				ask();
				try {
					while (isWanted)
						wait();
				} catch (InterruptedException e) {
					Thread.currentThread().interrupt();
					throw new InterruptedIOException();
				}
				if (isEnd)
					return 0;
			}
			return bytes.length - at;
		}

		@Override public synchronized int read() throws IOException { return fill() == 0 ? -1 : bytes[at++] & 0xff; }

		@Override public synchronized int read(byte[] into, int start, int max) throws IOException {
			int n = max == 0 ? 0 : Math.min(max, fill());
			System.arraycopy(bytes, at, into, start, n);
			at += n;
			return n == 0 && max > 0 ? -1 : n;
		}

		@Override public synchronized int available() throws IOException {
			return bytes.length - at + (from == null || isWanted ? 0 : from.available());
		}

		@Override public void close() {}

		/* What was read ahead was meant for the run that has ended. */
		synchronized void drop() { at = bytes.length; }
	}

	// ---- running ------------------------------------------------------------------------------

	/* Runs what JShell has compiled. From JDK 20 on a thread cannot be stopped from outside, and JShell's own way is
	 * taken: it has checks in loops, and waits for all threads that a piece has started. */
	static class Control extends LocalExecutionControl {
		private static final boolean CAN_STOP = Runtime.version().feature() < 20;
		private Thread thread;

		Control() throws Exception {
			try (InputStream exit = Terrarium.class.getResourceAsStream(EXIT + ".class")) {
				super.load(new ClassBytecodes[] { new ClassBytecodes(EXIT, exit.readAllBytes()) });
			}
		}

		@Override public void load(ClassBytecodes[] classes) throws ClassInstallException, NotImplementedException,
				EngineTerminationException {
			ClassBytecodes[] changed = new ClassBytecodes[classes.length];
			for (int i = 0; i < classes.length; i++)
				changed[i] = new ClassBytecodes(classes[i].name(), Exits.redirect(classes[i].bytecodes()));
			super.load(changed);
		}

		private boolean holds;
		private Object held;

		@Override public String varValue(String className, String name) throws RunException, EngineTerminationException,
				InternalException {
			if (!holds)
				return super.varValue(className, name);
			try {
				Field field = findClass(className).getDeclaredField(name);
				field.setAccessible(true);
				held = field.get(null);
				return "";
			} catch (ReflectiveOperationException | RuntimeException e) {
				throw new InternalException(e.toString());
			}
		}

		/* The value of a variable itself, not as text: none of the user's code runs for it. */
		Object valueOf(VarSnippet variable) {
			holds = true;
			try {
				shell.varValue(variable);
				return held;
			} finally {
				holds = false;
				held = null;
			}
		}

		@Override protected String invoke(Method piece) throws Exception {
			if (!CAN_STOP) {
				if (isStopped) // between two pieces of a run
					throw new StoppedException();
				return super.invoke(piece);
			}
			Object[] result = new Object[2];
			Thread mine = new Thread(() -> {
				try {
					result[0] = valueString(piece.invoke(null));
				} catch (InvocationTargetException e) {
					result[1] = e.getCause();
				} catch (Throwable e) {
					result[1] = e;
				}
			}, "main");
			synchronized (this) {
				if (isStopped)
					throw new StoppedException();
				thread = mine;
			}
			mine.start();
			mine.join();
			synchronized (this) {
				thread = null;
			}
			if (result[1] instanceof ThreadDeath)
				throw new StoppedException();
			if (result[1] != null)
				throw new InvocationTargetException((Throwable) result[1]);
			return (String) result[0];
		}

		@Override public void stop() throws EngineTerminationException, InternalException {
			if (CAN_STOP)
				stopThread();
			else
				stopPiece();
		}

		/* Again and again: it does nothing if the piece has not quite begun. */
		private void stopPiece() throws EngineTerminationException, InternalException {
			try {
				do {
					super.stop();
					Thread.sleep(50);
				} while (goesOn());
			} catch (InterruptedException e) {
				return;
			}
		}

		/* Politely, then again and again: a `finally` or a `catch` of the user's may swallow it. */
		@SuppressWarnings({ "removal", "deprecation" })
		private void stopThread() {
			Thread mine;
			synchronized (this) {
				mine = thread;
			}
			if (mine == null)
				return;
			mine.interrupt();
			try {
				mine.join(50);
				while (mine.isAlive()) {
					mine.stop();
					mine.join(200);
				}
			} catch (InterruptedException e) {
				return;
			}
		}
	}

	/* System.exit() in pieces ends the run: calls of it are redirected in the constant pool of their class. */
	static class Exits {
		static byte[] redirect(byte[] code) {
			try {
				return redirected(code);
			} catch (IOException e) {
				return code;
			}
		}

		private static byte[] redirected(byte[] code) throws IOException {
			ByteBuffer pool = ByteBuffer.wrap(code);
			int n = pool.getShort(8) & 0xffff, at = 10;
			int[] places = new int[n];
			for (int i = 1; i < n; i++) {
				places[i] = at;
				int tag = code[at];
				at += tag == 1 ? 3 + (pool.getShort(at + 1) & 0xffff) : tag == 5 || tag == 6 ? 9
					: tag == 7 || tag == 8 || tag == 16 || tag == 19 || tag == 20 ? 3 : tag == 15 ? 4 : 5;
				if (tag == 5 || tag == 6)
					i++;
			}
			boolean isChanged = false;
			for (int i = 1; i < n; i++) {
				if (places[i] == 0 || code[places[i]] != 10)
					continue;
				int owner = places[pool.getShort(places[i] + 1) & 0xffff], pair = places[pool.getShort(places[i] + 3) & 0xffff];
				if (!text(pool, places, owner + 1).equals("java/lang/System") || !text(pool, places, pair + 1).equals("exit"))
					continue;
				pool.putShort(places[i] + 1, (short) (n + 1));
				isChanged = true;
			}
			if (!isChanged)
				return code;
			byte[] name = EXIT.getBytes(StandardCharsets.UTF_8);
			ByteBuffer made = ByteBuffer.allocate(code.length + 6 + name.length);
			made.put(code, 0, at).put((byte) 1).putShort((short) name.length).put(name);
			made.put((byte) 7).putShort((short) n).put(code, at, code.length - at);
			made.putShort(8, (short) (n + 2));
			return made.array();
		}

		private static String text(ByteBuffer pool, int[] places, int at) {
			int place = places[pool.getShort(at) & 0xffff];
			return new String(pool.array(), place + 3, pool.getShort(place + 1) & 0xffff, StandardCharsets.UTF_8);
		}
	}

	/* What System.exit() is in pieces: loaded among them, too. */
	public static class Exit extends Error {
		private static final long serialVersionUID = 1;

		public Exit(int code) { super(String.valueOf(code), null, false, false); }

		public static void exit(int code) { throw new Exit(code); }
	}

	/* Where the pieces of runs come from, by the number that JShell gives them. */
	record Place(String file, int line) {}
	static final Map<String, Place> places = new HashMap<>();

	static final String[] IMPORTS = { "java.io", "java.math", "java.net", "java.nio.file", "java.util", "java.util.concurrent",
		"java.util.function", "java.util.prefs", "java.util.regex", "java.util.stream" };

	/* What `terrarium install` has put there since the last look. */
	static final Path JARS = Path.of(System.getenv().getOrDefault("HOME", "/"), ".local", "share", "java");
	static final Set<String> jars = new TreeSet<>();

	static void noticeJars() {
		String[] names = JARS.toFile().list((folder, name) -> name.endsWith(".jar"));
		for (String name : names == null ? new String[0] : names)
			if (jars.add(JARS.resolve(name).toString()) && shell != null)
				shell.addToClasspath(JARS.resolve(name).toString());
	}

	static void openShell() throws Exception {
		shell = JShell.builder().executionEngine(new ExecutionControlProvider() {
			@Override public String name() { return "terrarium"; }
			@Override public ExecutionControl generate(ExecutionEnv env, Map<String, String> parameters) throws Throwable {
				return control = new Control();
			}
		}, Map.of()).build();
		for (String path : System.getProperty("java.class.path").split(":"))
			if (!path.isEmpty())
				shell.addToClasspath(path);
		for (String path : jars)
			shell.addToClasspath(path);
		for (String name : IMPORTS) // as the tool `jshell` has them
			shell.eval("import " + name + ".*;");
	}

	// ---- display ------------------------------------------------------------------------------

	static final String SHOWN = "terrarium.display"; // the property by which code reaches us
	static final String DISPLAY = "@SuppressWarnings(\"unchecked\") void display(Object... values) {"
		+ " ((java.util.function.Consumer<Object[]>) System.getProperties().get(\"" + SHOWN + "\")).accept(values); }";
	static final Pattern USES_DISPLAY = Pattern.compile("\\bdisplay\\s*\\(");
	static final Pattern DEFINES_DISPLAY = Pattern.compile("\\bvoid\\s+display\\s*\\(");
	static final int DISPLAY_MAX = 16 << 20; // bytes of one display on their way, all its forms together
	static boolean hasDisplay;

	/* The method that code calls, once it does: a piece takes a while to compile. */
	static void defineDisplay(String code) {
		if (hasDisplay || !USES_DISPLAY.matcher(code).find() || DEFINES_DISPLAY.matcher(code).find())
			return;
		hasDisplay = true;
		java.util.function.Consumer<Object[]> show = Terrarium::display;
		System.getProperties().put(SHOWN, show);
		shell.eval(DISPLAY);
	}

	static void display(Object... values) {
		for (Object value : values == null ? new Object[] { null } : values)
			putForms(formsOf(value));
	}

	static boolean startsWith(byte[] bytes, int... sign) {
		for (int i = 0; i < sign.length; i++)
			if (bytes.length <= i || (bytes[i] & 0xff) != sign[i])
				return false;
		return true;
	}

	static String typeOf(byte[] bytes) {
		return startsWith(bytes, 0x89, 'P', 'N', 'G') ? "image/png" : startsWith(bytes, 0xff, 0xd8, 0xff) ? "image/jpeg"
			: startsWith(bytes, 'G', 'I', 'F', '8') ? "image/gif" : startsWith(bytes, '%', 'P', 'D', 'F') ? "application/pdf"
			: "application/octet-stream";
	}

	/* Forms by MIME type; the bytes of an image; an image of Java's; else text. */
	static Map<?, ?> formsOf(Object value) {
		if (value instanceof Map<?, ?> forms && !forms.isEmpty()
				&& forms.keySet().stream().allMatch(key -> String.valueOf(key).matches("[\\w.+-]+/[\\w.+-]+")))
			return forms;
		if (value instanceof byte[] bytes)
			return Map.of(typeOf(bytes), bytes);
		byte[] png = pngOf(value);
		return png != null ? Map.of("image/png", png) : Map.of("text/plain", String.valueOf(value));
	}

	/* Of a java.awt.image.RenderedImage. By name, because a runtime without a desktop lacks these classes. */
	static byte[] pngOf(Object value) {
		try {
			Class<?> image = Class.forName("java.awt.image.RenderedImage");
			if (!image.isInstance(value))
				return null;
			ByteArrayOutputStream to = new ByteArrayOutputStream();
			Class.forName("javax.imageio.ImageIO").getMethod("write", image, String.class, OutputStream.class)
				.invoke(null, value, "png", to);
			return to.toByteArray();
		} catch (ReflectiveOperationException | LinkageError e) {
			return null;
		}
	}

	/* Text, or base64 for what is none. */
	static String formOf(String type, Object data) {
		if (!(data instanceof byte[] bytes))
			return String.valueOf(data);
		boolean isText = type.startsWith("text/") || type.matches(".*[+/](xml|json)");
		return isText ? new String(bytes, StandardCharsets.UTF_8) : java.util.Base64.getEncoder().encodeToString(bytes);
	}

	static void putForms(Map<?, ?> forms) {
		Map<String, Object> data = new LinkedHashMap<>();
		List<String> tooBig = new ArrayList<>();
		int room = DISPLAY_MAX;
		for (Map.Entry<?, ?> form : forms.entrySet()) {
			String type = String.valueOf(form.getKey()), text = formOf(type, form.getValue());
			if (text.length() > room) {
				tooBig.add(type + " left out: " + text.length() + " characters are too many to show");
				continue;
			}
			data.put(type, text);
			room -= text.length();
		}
		if (!tooBig.isEmpty() && data.keySet().stream().allMatch("text/plain"::equals))
			data.put("text/plain", String.join("\n", tooBig));
		String id = runId;
		System.out.flush();
		System.err.flush();
		if (data.isEmpty())
			return;
		if (id == null || isLate()) {
			System.err.println("a display (" + String.join(", ", data.keySet()) + ") came after its run had ended");
			return;
		}
		put(map("ev", "display", "id", id, "data", data));
		try {
			Thread.sleep(1); // that it is read before what is printed next, which comes by another pipe
		} catch (InterruptedException e) {
			Thread.currentThread().interrupt();
		}
	}

	/* The user's error, as members of `done`. */
	static Map<String, Object> failed(String name, String message, List<String> rows) {
		if (rows.size() > ROWS_MAX) {
			List<String> some = new ArrayList<>(rows.subList(0, ROWS_MAX / 2));
			some.add("  \u2026 " + (rows.size() - ROWS_MAX) + " lines left out \u2026");
			some.addAll(rows.subList(rows.size() - ROWS_MAX / 2, rows.size()));
			rows = some;
		}
		rows = rows.stream().map(row -> row.length() <= ROW_MAX ? row : row.substring(0, ROW_MAX) + "\u2026").toList();
		message = message == null ? "" : message.length() <= MESSAGE_MAX ? message : message.substring(0, MESSAGE_MAX);
		return map("status", "error", "error", map("name", name, "message", message, "traceback", rows));
	}

	static int lineAt(String text, long at) {
		return (int) text.substring(0, (int) Math.min(at, text.length())).chars().filter(c -> c == '\n').count();
	}

	/* A compiler's message with its place, line and a mark. */
	static List<String> shown(String message, String file, String text, long at, int firstLine) {
		int place = (int) Math.max(0, Math.min(at, text.length())), start = text.lastIndexOf('\n', place - 1) + 1;
		List<String> rows = new ArrayList<>();
		List<String> words = message.lines().filter(row -> !row.matches("\\s*location: class\\s*")).toList(); // there is none
		rows.add(file + ":" + (lineAt(text, place) + firstLine) + ":" + (place - start + 1) + ": error: " + words.get(0));
		int end = text.indexOf('\n', start);
		rows.add(text.substring(start, end < 0 ? text.length() : end));
		rows.add(rows.get(1).substring(0, Math.min(place - start, rows.get(1).length())).replaceAll("\\S", " ") + "^");
		rows.addAll(words.subList(1, words.size()));
		return rows;
	}

	static Map<String, Object> refused(Snippet snippet, String file, int line) {
		List<String> rows = new ArrayList<>();
		String first = null;
		for (Diag d : (Iterable<Diag>) shell.diagnostics(snippet)::iterator) {
			if (!d.isError())
				continue;
			String message = d.getMessage(Locale.ROOT);
			first = first == null ? message : first;
			rows.addAll(shown(message, file, snippet.source(), d.getPosition(), line));
		}
		return failed("CompileError", first == null ? "the code is refused" : first, rows);
	}

	/* "at Box.double(<run 3>:2)", or null for what is not the user's. */
	static String frame(StackTraceElement one) {
		String file = one.getFileName(), name = one.getClassName() + "." + one.getMethodName();
		if (file == null || !file.startsWith("#"))
			return "\tat " + one;
		Place place = places.get(file.substring(1));
		name = name.replaceFirst("^(?:REPL\\.)?(?:\\$JShell\\$\\w+)?[.$]?", "").replaceFirst("^do_it\\$$", "");
		String at = place == null ? "<run>" : place.file + ":" + (place.line + one.getLineNumber() - 1);
		return name.isEmpty() ? "\tat " + at : "\tat " + name + "(" + at + ")";
	}

	/* Frames down to the last of the user's. */
	static List<String> frames(StackTraceElement[] trace) {
		int end = trace.length;
		while (end > 0 && (trace[end - 1].getFileName() == null || !trace[end - 1].getFileName().startsWith("#")))
			end--;
		return Arrays.stream(trace).limit(end).map(Terrarium::frame).toList();
	}

	static Map<String, Object> thrown(JShellException error) {
		List<String> rows = new ArrayList<>();
		String name = null, message = null;
		Set<Throwable> seen = new HashSet<>();
		for (Throwable one = error; one != null && seen.add(one); one = one.getCause()) {
			String kind = one instanceof EvalException e ? e.getExceptionClassName() : one.getClass().getSimpleName();
			String words = one instanceof UnresolvedReferenceException u ? unresolved(u.getSnippet()) : one.getMessage();
			if (name == null) {
				name = kind.substring(kind.lastIndexOf('.') + 1);
				message = words;
			}
			rows.addAll((((rows.isEmpty() ? "" : "Caused by: ") + kind + (words == null ? "" : ": " + words))).lines().toList());
			rows.addAll(frames(one.getStackTrace()));
		}
		return failed(name, message, rows);
	}

	static String unresolved(DeclarationSnippet snippet) {
		List<String> names = shell.unresolvedDependencies(snippet).toList();
		List<String> words = new ArrayList<>(names);
		shell.diagnostics(snippet).forEach(d -> words.add(d.getMessage(Locale.ROOT).replaceAll("\\s*\n\\s*", " ")));
		return snippet.source().lines().findFirst().orElse("") + " lacks " + String.join(", ", names.isEmpty() ? words : names);
	}

	/* Evaluate a piece. Null: the next may follow. `value` gets what is to be shown. */
	static Map<String, Object> evaluate(String source, String file, int line, String[] value) {
		value[0] = null;
		for (SnippetEvent event : shell.eval(source)) {
			Snippet snippet = event.snippet();
			if (event.causeSnippet() != null)
				continue;
			places.put(snippet.id(), new Place(file, line));
			if (event.exception() instanceof EvalException e && e.getExceptionClassName().equals(EXIT)) {
				return exited(e.getMessage());
			}
			if (event.exception() != null)
				return thrown(event.exception());
			if (event.status() == Snippet.Status.REJECTED)
				return refused(snippet, file, line);
			if (snippet instanceof DeclarationSnippet d && event.status() != Snippet.Status.VALID)
				System.err.println("this cannot be used yet: " + unresolved(d));
			if (snippet.kind() == Snippet.Kind.EXPRESSION || snippet.subKind() == Snippet.SubKind.TEMP_VAR_EXPRESSION_SUBKIND)
				value[0] = event.value();
		}
		return null;
	}

	static Map<String, Object> exited(String text) {
		int code = Integer.parseInt(text) & 0xff;
		return map("status", code == 0 ? "ok" : "error", "exit_code", code);
	}

	static Map<String, Object> evaluateAll(String code, String file) {
		String[] value = { null };
		String rest = code;
		while (!rest.isBlank()) {
			String text = rest.stripLeading(); // JShell counts lines from where a piece begins
			CompletionInfo info = shell.sourceCodeAnalysis().analyzeCompletion(text);
			if (info.completeness() == Completeness.EMPTY)
				break;
			int line = 1 + lineAt(code, code.length() - text.length());
			boolean isWhole = info.completeness().isComplete();
			Map<String, Object> end = evaluate(isWhole ? info.source() : text, file, line, value);
			synchronized (Terrarium.class) {
				if (isStopped)
					return map("status", "interrupted");
			}
			if (end != null)
				return end;
			rest = isWhole ? info.remaining() : "";
		}
		return value[0] == null || value[0].isEmpty() ? map("status", "ok") : map("status", "ok", "value", shortened(value[0], VALUE_MAX));
	}

	static String shortened(String text, int max) {
		return text.length() <= max ? text : text.substring(0, max) + "\u2026 " + (text.length() - max) + " more characters";
	}

	/* A piece that is a whole program runs as one, so that what people paste does something. */
	static Map<String, Object> evaluateRequest(Map<String, Object> request, String code, String file) {
		boolean isFile = request.containsKey("program");
		Object args = request.get("args");
		if (isFile || Program.isWhole(code, file))
			return Program.run(code, file, args, isFile);
		noticeCompiled(); // JShell compiles between the statements
		if (args == null)
			return evaluateAll(code, file);
		String why = "arguments are for a class with a method 'public static void main(String[] args)'";
		return failed("NoMainMethod", why, List.of(why));
	}

	/* From now on the time limit counts. */
	static void noticeCompiled() {
		put(map("ev", "compiled", "id", runId));
	}

	static long cpuUs() {
		return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1000;
	}

	static void run(Map<String, Object> request) {
		String code = ((String) request.get("code")).replace("\r\n", "\n").replaceFirst("^\uFEFF", "");
		String file = (String) request.getOrDefault("file", "<run>");
		long began = cpuUs();
		run++;
		owner.set(run);
		runId = (String) request.get("id");
		compileUs = 0;
		synchronized (Terrarium.class) {
			isStopped = isEarly;
			isEarly = false;
			state = State.RUNNING;
		}
		noticeJars();
		Map<String, Object> end;
		try {
			if (!isStopped)
				defineDisplay(code);
			end = isStopped ? map("status", "interrupted") : evaluateRequest(request, code, file);
		} catch (RuntimeException | Error e) {
			end = failed(e.getClass().getSimpleName(), e.getMessage(), List.of("JShell failed: " + e));
		}
		setState(State.ENDING);
		if (isStopped)
			end = map("status", "interrupted");
		System.out.flush();
		System.err.flush();
		if (System.out.checkError() || System.in != in)
			openStreams();
		in.drop();
		int set = Sets.leave();
		Map<String, Object> done = map("ev", "done", "id", runId);
		done.putAll(end);
		if (set >= 0)
			done.put("set", set);
		done.put("cpu_us", Math.max(0, cpuUs() - began));
		if (compileUs > 0)
			done.put("compile_us", compileUs);
		runId = null;
		setState(State.WAITING); // from when `done` is read, the next request and its interrupt may come
		put(done);
	}

	/* Comes in a thread of its own. */
	static void interrupted() {
		boolean isRunning;
		synchronized (Terrarium.class) {
			isRunning = state == State.RUNNING;
			try {
				isEarly = state == State.TAKEN || state == State.WAITING && requests.available() > 0;
			} catch (IOException e) {
				isEarly = false;
			}
			isStopped = isRunning;
		}
		try {
			if (isRunning)
				shell.stop();
		} catch (RuntimeException e) {
			return; // it has ended meanwhile
		}
	}

	/* What was meant for a request that was cut is not meant for the next one. */
	static synchronized void forgetEarly() {
		isEarly = false;
	}

	/* sun.misc.Signal, of which the compiler would warn. */
	static void watchInterrupts() throws ReflectiveOperationException {
		Class<?> signal = Class.forName("sun.misc.Signal"), handler = Class.forName("sun.misc.SignalHandler");
		Object mine = Proxy.newProxyInstance(Terrarium.class.getClassLoader(), new Class<?>[] { handler }, (p, method, args) -> {
			if (method.getName().equals("handle"))
				interrupted();
			return null;
		});
		signal.getMethod("handle", signal, handler).invoke(null, signal.getConstructor(String.class).newInstance("INT"), mine);
	}

	// ---- output sets ----------------------------------------------------------------------------

	/* A child that has inherited standard output keeps set 0: Java cannot put another pipe in the place of its own
	 * descriptors, so only its own output moves. It comes back when nobody holds set 0 any more. */
	static class Sets {
		static int current;
		static String newest = newest();

		static String newest() {
			try {
				String text = Files.readString(Path.of("/proc/loadavg")).strip();
				return text.substring(text.lastIndexOf(' ') + 1);
			} catch (IOException e) {
				return "";
			}
		}

		static String pipe(int fd) throws IOException { return Files.readSymbolicLink(Path.of("/proc/self/fd/" + fd)).toString(); }

		static Set<String> writers() throws IOException {
			Set<String> held = new HashSet<>();
			String self = String.valueOf(ProcessHandle.current().pid());
			try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
				for (Path process : all)
					if (!process.getFileName().toString().equals(self))
						look(process, held);
			}
			return held;
		}

		static void look(Path process, Set<String> held) {
			try (DirectoryStream<Path> fds = Files.newDirectoryStream(process.resolve("fd"))) {
				for (Path fd : fds) {
					String to = Files.readSymbolicLink(fd).toString();
					if (to.startsWith("pipe:") && isWritten(process, fd.getFileName()))
						held.add(to);
				}
			} catch (IOException | java.nio.file.DirectoryIteratorException e) {
				return; // gone, or none of ours
			}
		}

		static boolean isWritten(Path process, Path fd) throws IOException {
			Matcher flags = Pattern.compile("(?m)^flags:\\s*\\d*(\\d)$").matcher(
				Files.readString(process.resolve("fdinfo").resolve(fd)));
			return flags.find() && (flags.group(1).charAt(0) & 3) != 0;
		}

		/* The set that later runs write to, -1 if it is the same. */
		static int leave() {
			String latest = newest();
			if (latest.equals(newest) && current == 0)
				return -1;
			newest = latest;
			try {
				Set<String> held = writers();
				int next = 0;
				while (next < SPARE_SETS && (held.contains(pipe(next == 0 ? 1 : 8 + 2 * next))
						|| held.contains(pipe(next == 0 ? 2 : 9 + 2 * next))))
					next++;
				if (next == current)
					return -1;
				current = next;
				out.use(next);
				err.use(next);
				return next;
			} catch (IOException e) {
				return -1;
			}
		}
	}

	// ---- programs -------------------------------------------------------------------------------

	/* A file as `java FILE` runs it: compiled in memory, with a public class of any name. */
	static class Program {
		static class Source extends SimpleJavaFileObject {
			final String code;

			Source(String file, String code) {
				super(place(Path.of(file).getFileName().toString()), Kind.SOURCE);
				this.code = code;
			}

			private static URI place(String name) {
				try {
					return new URI("mem", null, "/" + name, null);
				} catch (URISyntaxException e) {
					return URI.create("mem:///program.java");
				}
			}

			@Override public CharSequence getCharContent(boolean ignored) { return code; }
			@Override public boolean isNameCompatible(String name, Kind kind) { return true; }
		}

		static class Made extends SimpleJavaFileObject {
			final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

			Made(String name) { super(URI.create("mem:///" + name.replace('.', '/') + ".class"), Kind.CLASS); }
			@Override public OutputStream openOutputStream() { return bytes; }
		}

		static class Classes extends ClassLoader {
			final Map<String, Made> made = new LinkedHashMap<>();
			final boolean isPiece; // System.exit() ends the run

			Classes(boolean isPiece) {
				super(new URLClassLoader(jars.stream().map(Classes::url).toArray(URL[]::new)));
				this.isPiece = isPiece;
			}

			static URL url(String path) {
				try {
					return Path.of(path).toUri().toURL();
				} catch (MalformedURLException e) {
					throw new IllegalArgumentException(e);
				}
			}

			@Override protected Class<?> findClass(String name) throws ClassNotFoundException {
				if (name.equals(EXIT))
					return Exit.class;
				Made one = made.get(name);
				if (one == null)
					throw new ClassNotFoundException(name);
				byte[] code = isPiece ? Exits.redirect(one.bytes.toByteArray()) : one.bytes.toByteArray();
				return defineClass(name, code, 0, code.length);
			}
		}

		private static final Pattern MAIN = Pattern.compile("\\bstatic\\s+(?:final\\s+)?void\\s+main\\s*\\(");

		/* Has it a main(), and is there nothing outside of types? */
		static boolean isWhole(String code, String file) {
			if (!MAIN.matcher(code).find())
				return false;
			DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
			List<Source> sources = List.of(new Source(file, code));
			try {
				((JavacTask) ToolProvider.getSystemJavaCompiler().getTask(null, null, said, null, null, sources)).parse();
			} catch (IOException e) {
				return false;
			}
			return said.getDiagnostics().stream().noneMatch(d -> d.getKind() == Diagnostic.Kind.ERROR);
		}

		static Map<String, Object> run(String code, String file, Object args, boolean isFile) {
			Classes classes = new Classes(!isFile);
			DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
			JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
			JavaFileManager files = new ForwardingJavaFileManager<JavaFileManager>(compiler.getStandardFileManager(said, null, null)) {
				@Override public JavaFileObject getJavaFileForOutput(Location location, String name, JavaFileObject.Kind kind,
						FileObject sibling) {
					Made one = new Made(name);
					classes.made.put(name, one);
					return one;
				}
			};
			Source source = new Source(file, code);
			List<String> options = List.of("-proc:none", "-cp",
				String.join(":", jars) + ":" + System.getProperty("java.class.path"));
			long began = System.nanoTime();
			boolean isCompiled = compiler.getTask(null, files, said, options, null, List.of(source)).call();
			compileUs = (System.nanoTime() - began) / 1000;
			if (!isCompiled)
				return refused(said, file, code);
			noticeCompiled();
			return start(classes, code, file, args instanceof List<?> list ? list.toArray(String[]::new) : new String[0]);
		}

		static Map<String, Object> refused(DiagnosticCollector<JavaFileObject> said, String file, String code) {
			List<String> rows = new ArrayList<>();
			String first = null;
			for (Diagnostic<? extends JavaFileObject> d : said.getDiagnostics()) {
				if (d.getKind() != Diagnostic.Kind.ERROR)
					continue;
				first = first == null ? d.getMessage(Locale.ROOT) : first;
				rows.addAll(shown(d.getMessage(Locale.ROOT), file, code, d.getPosition(), 1));
			}
			Map<String, Object> end = failed("CompileError", first, rows);
			end.put("exit_code", 1);
			return end;
		}

		/* The first class in the file that has a main(). */
		static Method findMain(Classes classes, String code) {
			Matcher names = Pattern.compile("\\b(?:class|interface|enum|record)\\s+(\\w+)").matcher(code);
			while (names.find())
				for (String name : classes.made.keySet())
					if (name.equals(names.group(1)) || name.endsWith("." + names.group(1))) {
						try {
							Method main = classes.loadClass(name).getDeclaredMethod("main", String[].class);
							main.setAccessible(true);
							if (Modifier.isStatic(main.getModifiers()))
								return main;
						} catch (ReflectiveOperationException | LinkageError e) {
							continue;
						}
					}
			return null;
		}

		static Map<String, Object> start(Classes classes, String code, String file, String[] args) {
			Method main = findMain(classes, code);
			if (main == null) {
				Map<String, Object> end = failed("NoMainMethod", file + " has no class with a method "
					+ "'public static void main(String[] args)'", List.of());
				end.put("exit_code", 1);
				return end;
			}
			Throwable[] error = { null };
			Thread thread = new Thread(() -> {
				try {
					main.invoke(null, (Object) args);
				} catch (InvocationTargetException e) {
					error[0] = e.getCause();
				} catch (Throwable e) {
					error[0] = e;
				}
			}, "main");
			thread.setContextClassLoader(classes);
			control.thread = thread;
			thread.start();
			try {
				thread.join();
			} catch (InterruptedException e) {
				error[0] = e;
			}
			control.thread = null;
			if (error[0] instanceof Exit e)
				return exited(e.getMessage());
			return error[0] == null ? map("status", "ok") : uncaught(error[0], file);
		}

		static Map<String, Object> uncaught(Throwable error, String file) {
			for (Throwable one = error; one != null; one = one.getCause())
				one.setStackTrace(Arrays.stream(one.getStackTrace())
					.takeWhile(f -> !f.getClassName().startsWith("jdk.internal.reflect.")).toArray(StackTraceElement[]::new));
			StringWriter text = new StringWriter();
			error.printStackTrace(new PrintWriter(text));
			List<String> rows = new ArrayList<>(("Exception in thread \"main\" " + text).lines().toList());
			Map<String, Object> end = failed(error.getClass().getSimpleName(), error.getMessage(), rows);
			end.put("exit_code", 1);
			return end;
		}
	}

	// ---- questions ------------------------------------------------------------------------------

	static Map<String, Object> answer(String op, String code, int cursor) {
		return switch (op) {
		case "complete" -> complete(code, code.offsetByCodePoints(0, cursor));
		case "inspect" -> inspect(code, code.offsetByCodePoints(0, cursor));
		case "is_complete" -> isComplete(code);
		case "variables" -> variables(cursor != 1);
		case "reset" -> reset();
		default -> throw new IllegalArgumentException(op);
		};
	}

	static Map<String, Object> complete(String code, int cursor) {
		int[] anchor = { cursor };
		Map<String, String> found = new LinkedHashMap<>();
		for (var one : shell.sourceCodeAnalysis().completionSuggestions(code, cursor, anchor)) {
			String name = one.continuation();
			boolean isCall = name.endsWith("(") || name.endsWith("()");
			found.putIfAbsent(isCall ? name.substring(0, name.indexOf('(')) : name.strip(), isCall ? "function" : "variable");
			if (found.size() == 1000)
				break;
		}
		return map("matches", List.copyOf(found.keySet()), "kinds", List.copyOf(found.values()),
			"start", code.codePointCount(0, anchor[0]), "end", code.codePointCount(0, cursor));
	}

	static String brief(String text) {
		text = text == null ? "" : text.replace('\n', ' ');
		return text.length() <= SHORT ? text : text.substring(0, SHORT - 1) + "\u2026";
	}

	static Map<String, Object> inspect(String code, int cursor) {
		int end = cursor, start = cursor;
		while (end < code.length() && Character.isJavaIdentifierPart(code.charAt(end)))
			end++;
		while (start > 0 && (Character.isJavaIdentifierPart(code.charAt(start - 1)) || code.charAt(start - 1) == '.'))
			start--;
		String name = code.substring(start, end);
		for (VarSnippet one : (Iterable<VarSnippet>) shell.variables()::iterator)
			if (one.name().equals(name))
				return map("found", true, "name", name, "type", one.typeName(), "value", brief(shell.varValue(one)));
		String text = code.substring(0, end) + (code.startsWith("(", end) || name.isEmpty() ? code.substring(end) : "(");
		int at = name.isEmpty() ? cursor : end + 1;
		List<String> signatures = shell.sourceCodeAnalysis().documentation(text, Math.min(at, text.length()), false).stream()
			.map(SourceCodeAnalysis.Documentation::signature).toList();
		if (signatures.isEmpty())
			return map("found", false);
		return map("found", true, "name", name, "type", "method", "value", "", "signature", String.join("\n", signatures));
	}

	static Map<String, Object> isComplete(String code) {
		String rest = code;
		while (!rest.isBlank()) {
			CompletionInfo info = shell.sourceCodeAnalysis().analyzeCompletion(rest);
			switch (info.completeness()) {
			case DEFINITELY_INCOMPLETE, CONSIDERED_INCOMPLETE:
				return map("status", "incomplete", "indent", indentAfter(code));
			case UNKNOWN:
				return map("status", "invalid", "indent", "");
			default:
				rest = info.remaining();
			}
		}
		return map("status", "complete", "indent", "");
	}

	static String indentAfter(String code) {
		List<String> rows = code.lines().filter(row -> !row.isBlank()).toList();
		String last = rows.isEmpty() ? "" : rows.get(rows.size() - 1);
		String margin = last.substring(0, last.length() - last.stripLeading().length());
		return last.stripTrailing().matches("(?s).*[{(]") ? margin + "    " : margin;
	}

	static Map<String, Object> variables(boolean isWhole) {
		List<Object> rows = new ArrayList<>();
		shell.variables().filter(one -> !one.name().startsWith("$")).forEach(one -> rows.add(map("name", one.name(),
			"type", one.typeName(), "size", "", "value", isWhole ? brief(shell.varValue(one)) : "",
			"is_table", TABLE_TYPE.matcher(one.typeName()).matches())));
		return map("variables", rows);
	}

	// ---- tables ---------------------------------------------------------------------------------

	static final Pattern TABLE_TYPE = Pattern.compile("(?:java\\.util\\.)?(?:Array|Linked)?List(?:<.*>)?|Set<.*>|.*\\[\\]");
	static final int CELL = 200, CELLS_MAX = 20_000, SAMPLE = 1000;
	static final Object NONE = new Object(); // where a row has no such cell

	/* The rows of an array or of a collection of Java's own; null: it is no table. */
	static List<?> rowsOf(Object value) {
		if (value instanceof List<?> list && isOfJava(value))
			return list;
		if (value instanceof java.util.Collection<?> all && isOfJava(value))
			return new ArrayList<>(all);
		if (value == null || !value.getClass().isArray())
			return null;
		return new java.util.AbstractList<Object>() {
			@Override public int size() { return Array.getLength(value); }
			@Override public Object get(int i) { return Array.get(value, i); }
		};
	}

	/* Its methods are known to end, and to do nothing else. */
	static boolean isOfJava(Object value) {
		return value.getClass().getName().startsWith("java.");
	}

	/* Keys of maps, fields of records and objects, places in rows; null for the value itself. */
	static List<Object> columnsOf(List<?> rows) {
		Set<Object> keys = new java.util.LinkedHashSet<>();
		for (Object row : rows.subList(0, Math.min(rows.size(), SAMPLE))) {
			List<?> inner = row == null ? null : rowsOf(row);
			if (inner != null)
				for (int i = 0; i < inner.size(); i++)
					keys.add(i);
			else if (row instanceof Map<?, ?> map && isOfJava(row))
				keys.addAll(map.keySet());
			else if (row != null && !isOfJava(row) && !(row instanceof Enum<?>))
				Arrays.stream(row.getClass().getDeclaredFields()).filter(f -> !Modifier.isStatic(f.getModifiers())
					&& !f.isSynthetic()).forEach(f -> keys.add(f.getName()));
			else
				keys.add(null);
		}
		return new ArrayList<>(keys);
	}

	static Object cellOf(Object row, Object key) {
		if (key == null || row == null)
			return key == null ? row : NONE;
		List<?> inner = rowsOf(row);
		if (inner != null)
			return key instanceof Integer i && i < inner.size() ? inner.get(i) : NONE;
		if (row instanceof Map<?, ?> map && isOfJava(row))
			return map.containsKey(key) ? map.get(key) : NONE;
		try {
			Field field = row.getClass().getDeclaredField(String.valueOf(key));
			field.setAccessible(true);
			return field.get(row);
		} catch (ReflectiveOperationException | RuntimeException e) {
			return NONE;
		}
	}

	static String cellText(Object cell) {
		if (cell == NONE)
			return null;
		boolean isPlain = cell == null || cell instanceof Enum<?> || (isOfJava(cell) && rowsOf(cell) == null && !(cell instanceof Map<?, ?>));
		String text = isPlain ? cell instanceof Enum<?> one ? one.name() : String.valueOf(cell) : cell.getClass().getSimpleName();
		return text.length() <= CELL ? text : text.substring(0, CELL - 1) + "\u2026";
	}

	@SuppressWarnings("unchecked")
	static int compareCells(Object a, Object b) {
		if (a instanceof Number x && b instanceof Number y)
			return Double.compare(x.doubleValue(), y.doubleValue());
		if (a.getClass() == b.getClass() && a instanceof Comparable<?> && isOfJava(a))
			return ((Comparable<Object>) a).compareTo(b);
		return cellText(a).compareTo(cellText(b));
	}

	/* Places of the rows in the order that is asked for. What is missing comes last. */
	static List<Integer> placesOf(List<?> rows, List<Object> keys, Integer sort, boolean isDown) {
		List<Integer> places = new ArrayList<>(java.util.stream.IntStream.range(0, rows.size()).boxed().toList());
		if (sort == null || sort >= keys.size())
			return places;
		Map<Boolean, List<Integer>> parts = places.stream().collect(java.util.stream.Collectors.partitioningBy(i -> {
			Object cell = cellOf(rows.get(i), keys.get(sort));
			return cell != null && cell != NONE;
		}));
		List<Integer> known = new ArrayList<>(parts.get(true));
		java.util.Comparator<Integer> order = (i, k) -> compareCells(cellOf(rows.get(i), keys.get(sort)), cellOf(rows.get(k), keys.get(sort)));
		known.sort(isDown ? order.reversed() : order);
		known.addAll(parts.get(false));
		return known;
	}

	static void find(Map<String, Object> answer, List<?> rows, List<Object> keys, List<Integer> places, String text, int from) {
		long end = System.nanoTime() + 500_000_000L;
		for (int at = from; at < rows.size(); at++) {
			Object row = rows.get(places.get(at));
			for (Object key : keys) {
				String cell = cellText(cellOf(row, key));
				if (cell != null && cell.toLowerCase(Locale.ROOT).contains(text)) {
					answer.put("hit", at);
					return;
				}
			}
			if (System.nanoTime() > end) {
				answer.put("looked", at + 1);
				return;
			}
		}
		answer.put("looked", rows.size());
	}

	static Map<String, Object> headOf(List<?> rows, Object key) {
		Set<String> types = new TreeSet<>();
		boolean areNumbers = true;
		for (Object row : rows.subList(0, Math.min(rows.size(), SAMPLE))) {
			Object cell = cellOf(row, key);
			if (cell == null || cell == NONE)
				continue;
			types.add(cell.getClass().getSimpleName());
			areNumbers &= cell instanceof Number;
		}
		return map("name", key == null ? "value" : cellText(key), "type", types.size() > 3 ? "mixed" : String.join("|", types),
			"is_number", areNumbers && !types.isEmpty());
	}

	static int number(Map<String, Object> request, String name, int otherwise) {
		return request.get(name) instanceof Number n ? n.intValue() : otherwise;
	}

	static Map<String, Object> table(Map<String, Object> request) {
		String name = (String) request.getOrDefault("code", "");
		VarSnippet variable = shell.variables().filter(one -> one.name().equals(name)).findFirst().orElse(null);
		if (variable == null)
			return map("found", false, "why", "there is no variable of this name: " + name);
		List<?> rows = rowsOf(control.valueOf(variable));
		if (rows == null)
			return map("found", false, "why", "no table: " + name + " is of the type " + variable.typeName());
		List<Object> keys = columnsOf(rows);
		List<Integer> places = placesOf(rows, keys, request.get("sort") instanceof Number n ? n.intValue() : null,
			Boolean.TRUE.equals(request.get("down")));
		int row = number(request, "row", 0), column = number(request, "column", 0);
		List<Object> shown = keys.subList(Math.min(column, keys.size()),
			Math.min(column + Math.min(number(request, "width", 20), 200), keys.size()));
		int count = Math.min(Math.min(number(request, "count", 50), 500), CELLS_MAX / Math.max(shown.size(), 1));
		List<Integer> page = places.subList(Math.min(row, rows.size()), Math.min(row + count, rows.size()));
		Map<String, Object> answer = map("found", true, "type", variable.typeName(), "rows", rows.size(), "columns", keys.size(),
			"row", row, "column", column, "heads", shown.stream().map(key -> headOf(rows, key)).toList(),
			"labels", page.stream().map(String::valueOf).toList(), "cells", page.stream().map(i -> {
				List<Object> cells = new ArrayList<>();
				shown.forEach(key -> cells.add(cellText(cellOf(rows.get(i), key))));
				return cells;
			}).toList());
		if (request.get("find") instanceof String text)
			find(answer, rows, keys, places, text.toLowerCase(Locale.ROOT), number(request, "from", 0));
		return answer;
	}

	static Map<String, Object> reset() {
		shell.close();
		hasDisplay = false;
		places.clear();
		try {
			openShell();
		} catch (Exception e) {
			throw new IllegalStateException(e);
		}
		return map();
	}

	static void reply(Map<String, Object> request) {
		Map<String, Object> reply = map("ev", "reply", "id", request.get("id"));
		try {
			int cursor = ((Number) request.getOrDefault("cursor", 0)).intValue();
			reply.put("data", "table".equals(request.get("op")) ? table(request)
				: answer((String) request.get("op"), (String) request.getOrDefault("code", ""), cursor));
		} catch (RuntimeException e) {
			reply.put("error", "the kernel could not answer: " + e.getClass().getSimpleName());
		}
		setState(State.WAITING);
		put(reply);
	}

	// ---- JSON -------------------------------------------------------------------------------------

	static class Json {
		private final String text;
		private int at;

		private Json(String text) { this.text = text; }

		@SuppressWarnings("unchecked")
		static Map<String, Object> parse(String text) { return (Map<String, Object>) new Json(text).value(); }

		private Object value() {
			char c = next();
			if (c == '"')
				return string();
			if (c == '{' || c == '[')
				return group(c == '{' ? '}' : ']');
			int start = at;
			while (at < text.length() && ",}]".indexOf(text.charAt(at)) < 0)
				at++;
			String word = text.substring(start, at).strip();
			return switch (word) {
			case "true", "false" -> Boolean.valueOf(word);
			case "null" -> null;
			default -> Double.valueOf(word);
			};
		}

		private char next() {
			while (Character.isWhitespace(text.charAt(at)))
				at++;
			return text.charAt(at);
		}

		private Object group(char end) {
			Map<String, Object> map = new HashMap<>();
			List<Object> list = new ArrayList<>();
			for (at++; next() != end; at += next() == ',' ? 1 : 0) {
				if (end == ']') {
					list.add(value());
					continue;
				}
				next();
				String name = string();
				next();
				at++;
				map.put(name, value());
			}
			at++;
			return end == ']' ? list : map;
		}

		private String string() {
			StringBuilder made = new StringBuilder();
			for (at++; text.charAt(at) != '"'; at++) {
				char c = text.charAt(at);
				if (c != '\\') {
					made.append(c);
					continue;
				}
				c = text.charAt(++at);
				if (c == 'u') {
					made.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
					at += 4;
				} else {
					int i = "bfnrt".indexOf(c);
					made.append(i < 0 ? c : "\b\f\n\r\t".charAt(i));
				}
			}
			at++;
			return made.toString();
		}

		static String text(Object value) {
			if (value instanceof String s)
				return quoted(s);
			if (value instanceof List<?> list)
				return "[" + String.join(",", list.stream().map(Json::text).toList()) + "]";
			if (value instanceof Map<?, ?> map)
				return "{" + String.join(",", map.entrySet().stream().map(e -> text(e.getKey()) + ":" + text(e.getValue())).toList()) + "}";
			return String.valueOf(value);
		}

		private static String quoted(String text) {
			StringBuilder made = new StringBuilder("\"");
			for (char c : text.toCharArray()) {
				if (c == '"' || c == '\\')
					made.append('\\').append(c);
				else if (c < ' ' || c == 0x7f || Character.isSurrogate(c))
					made.append(String.format("\\u%04x", (int) c));
				else
					made.append(c);
			}
			return made.append('"').toString();
		}
	}

	// ---- the loop -----------------------------------------------------------------------------------

	/* A whole line, null at the end. */
	static String line(byte[] chunk, ByteArrayOutputStream rest) throws IOException {
		while (true) {
			byte[] all = rest.toByteArray();
			for (int i = 0; i < all.length; i++)
				if (all[i] == '\n') {
					rest.reset();
					rest.write(all, i + 1, all.length - i - 1);
					return new String(all, 0, i, StandardCharsets.UTF_8);
				}
			int n;
			do {
				n = requests.read(chunk);
				if (n < 0)
					return null;
				rest.write(chunk, 0, n);
			} while (chunk[n - 1] != '\n');
		}
	}

	static void removeSource(String folder) throws IOException {
		Files.deleteIfExists(Path.of(folder, "Terrarium.java"));
		Files.deleteIfExists(Path.of(folder));
	}

	public static void main(String[] args) throws Exception {
		if (args.length > 0)
			removeSource(args[0]);
		if (args.length > 1) // compiled beforehand: the user's class path, not ours
			System.setProperty("java.class.path", args[1]);
		requests = new FileInputStream("/proc/self/fd/3");
		events = new FileOutputStream("/proc/self/fd/4");
		openStreams();
		watchInterrupts();
		openShell();
		put(map("ev", "ready", "version", System.getProperty("java.version"), "tells_compiled", true));
		byte[] chunk = new byte[65536];
		ByteArrayOutputStream rest = new ByteArrayOutputStream();
		String line;
		while ((line = line(chunk, rest)) != null) {
			if (line.endsWith("\u0018")) { // its client has died before it was whole
				forgetEarly();
				continue;
			}
			setState(State.TAKEN);
			Map<String, Object> request = Json.parse(line);
			if ("leave".equals(request.get("op")))
				return; // Java waits for threads, and runs what was registered for the end
			if ("run".equals(request.get("op")))
				run(request);
			else
				reply(request);
		}
		Runtime.getRuntime().halt(0);
	}
}
