# SPDX-License-Identifier: MIT
# The kernel driver for Ruby. What is spoken on its descriptors is in kernel.h.
#
# The code of a run is evaluated in one binding, so its local variables are there in the next run. SIGINT raises
# Interrupt while `@state` is RUNNING, which it is only while code of the user runs: the assignment of ENDING is the
# first thing after that code has ended, and Ruby looks for signals at calls and at loops, so nothing comes in between.
require 'json'

module Terrarium
	FILE = '<terrarium>' # our own file name, by which our frames are known
	WAITING, TAKEN, RUNNING, SHIELDED, ENDING = *0..4
	VALUE_MAX, MESSAGE_MAX, ROW_MAX, ROWS_MAX = 1_000_000, 100_000, 4000, 200
	SHORT, MATCHES_MAX = 200, 1000
	SPARE_SETS = 4

	# Reads of standard input that tell when they are about to wait. `$stdin` is not an IO itself, for then Ruby's
	# own gets() would read past these.
	module Input
		%i[gets readline getc getbyte readchar readbyte readpartial sysread].each do |name|
			define_method(name) do |*args, **options, &block|
				Terrarium.await_input
				super(*args, **options, &block)
			end
		end

		def each_line(*args, **options)
			return to_enum(:each_line, *args, **options) unless block_given?
			while (line = gets(*args, **options))
				yield line
			end
			self
		end

		def each(...) = each_line(...)
		def readlines(*args, **options) = each_line(*args, **options).to_a

		def read(length = nil, buffer = nil)
			bytes = String.new
			until length && bytes.bytesize >= length
				begin
					bytes << readpartial(length ? length - bytes.bytesize : 65_536)
				rescue EOFError
					break
				end
			end
			return (buffer ? buffer.replace('') : nil) && nil if length && length > 0 && bytes.empty?
			bytes.force_encoding(external_encoding || Encoding.default_external) unless length
			buffer ? buffer.replace(bytes) : bytes
		end
	end

	class Standard < BasicObject
		def method_missing(name, *args, **options, &block) = ::STDIN.__send__(name, *args, **options, &block)
		def ==(other) = ::STDIN == other || equal?(other)
		def !=(other) = !(self == other)
	end

	# Output of a thread that an earlier run has started is not the run's.
	module Late
		def write(*texts)
			return super unless Terrarium.late?
			text = texts.join
			Terrarium.put('ev' => 'late', 'stream' => equal?(STDOUT) ? 'stdout' : 'stderr', 'text' => text)
			text.bytesize
		end
	end

	# The standard streams stay open for the runs that come after one that closes them.
	module Open
		def close = (flush if self != STDIN) && nil
	end

	module Fork
		def _fork
			pid = super
			Terrarium.become_child if pid == 0
			pid
		end
	end

	class << self
		# ---- descriptors and events -------------------------------------------------------

		def start
			@requests, @events = own(3, 'r'), own(4, 'w')
			@sets = [[STDOUT.dup, STDERR.dup]]
			@sets += (1..SPARE_SETS).map { |k| [own(8 + 2 * k, 'w'), own(9 + 2 * k, 'w')] }
			@sets.flatten.each { |io| io.sync = io.close_on_exec = true }
			@set, @lock, @group = 0, Mutex.new, Thread.main.group
			@state, @is_early, @has_read, @is_late = WAITING, false, false, false
			@pid, @newest = Process.pid, newest
			@binding = TOPLEVEL_BINDING.dup
			TOPLEVEL_BINDING.receiver.define_singleton_method(:display) do |*values|
				values.empty? ? super() : Terrarium.display(*values)
			end
			@globals, @constants = global_variables, Object.constants
			open_streams
			Process.singleton_class.prepend(Fork)
			watch_interrupts
			put('ev' => 'ready', 'version' => RUBY_VERSION)
			serve
		end

		def own(fd, mode)
			io = IO.for_fd(fd, mode)
			io.close_on_exec = io.sync = true
			io
		end

		def open_streams
			STDOUT.sync = STDERR.sync = true
			reopen(STDIN, STDIN.dup, Open, Input)
			[STDOUT, STDERR].each_with_index { |io, i| reopen(io, @sets[0][i], Open) }
			$stdin = Standard.new
		end

		# Ruby takes an object's own methods from it when it is opened anew.
		def reopen(io, other, *modules)
			io.reopen(other)
			modules.each { |one| io.extend(one) }
		end

		def watch_interrupts = trap('INT') { interrupted }

		def put(event)
			line = JSON.generate(clean(event)) << "\n"
			@lock.synchronize { @events.write(line) }
		rescue Errno::EPIPE
			exit!(1) # nobody listens any more
		end

		# Text that every parser takes.
		def clean(value)
			case value
			when String then utf8(value)
			when Array then value.map { |v| clean(v) }
			when Hash then value.transform_values { |v| clean(v) }
			else value
			end
		end

		def utf8(text)
			text = text.dup.force_encoding('UTF-8') if text.encoding == Encoding::BINARY
			text = text.encode('UTF-8', invalid: :replace, undef: :replace) unless text.encoding == Encoding::UTF_8
			text.valid_encoding? ? text : text.scrub { |bytes| bytes.bytes.map { |b| format('\\x%02X', b) }.join }
		end

		# Within the user's code: an interrupt waits until the event is whole.
		def put_shielded(event)
			return put(event) if Thread.current != Thread.main || @state != RUNNING
			@state = SHIELDED
			put(event)
			@state = RUNNING
			raise_early
		end

		def raise_early
			return unless @is_early
			@is_early = false
			raise Interrupt, ''
		end

		def interrupted
			raise Interrupt, '' if @state == RUNNING
			# If there is a request, it is that run which is meant; else the one that has ended.
			@is_early = @state != ENDING && (@state != WAITING || readable?(@requests))
		end

		def readable?(io) = !!IO.select([io], nil, nil, 0)

		def await_input
			@has_read = true
			return if @run_id.nil? || @pid != Process.pid || readable?(STDIN)
			put_shielded('ev' => 'input', 'id' => @run_id, 'prompt' => '', 'secret' => false)
		end

		# What was read ahead was meant for the run that has ended.
		def drop_input
			return unless @has_read
			@has_read = false
			reopen(STDIN, STDIN.dup, Open, Input)
		end

		# ---- running ------------------------------------------------------------------------

		def serve
			loop do
				@state = WAITING
				IO.select([@requests])
				@state = TAKEN
				line = @requests.gets
				exit!(0) unless line
				if line.b.end_with?("\x18\n") # its client has died before it was whole
					@is_early = false # what was meant for it is not meant for the next one
				else
					take(JSON.parse(line))
				end
			end
		end

		def take(request)
			case request['op']
			when 'run' then run(request)
			when 'leave' then leave
			else answer(request)
			end
		end

		# Run the block as code of the user's; gives its value and the error that has ended it.
		def guard
			value = error = nil
			begin
				@state = RUNNING
				raise_early
				value = yield
				@state = ENDING
			rescue Exception => error
				@state = ENDING
			end
			[value, error]
		end

		def run(request)
			code, file, @run_id = request['code'].delete_prefix("\uFEFF"), request['file'] || '<run>', request['id']
			began = cpu_us
			notice_gems
			before = ARGV.dup
			ARGV.replace(request['args']) if request['args']
			$0 = file if code.match?(/\$(?:0|PROGRAM_NAME)\b/) # __FILE__ == $0
			value, error = guard do
				next program(code, file) if request['program']
				show(eval(code, @binding, file, 1))
			end
			ARGV.replace(before) if request['args'] && !request['program']
			leave_child(error) if @pid != Process.pid
			raise error if error.is_a?(SignalException) && !error.is_a?(Interrupt)
			done = error ? explain(error) : { 'status' => 'ok' }
			done['value'] = value if value
			finish(done)
			done['cpu_us'] = cpu_us - began
			id, @run_id = @run_id, nil
			@state = WAITING # from when `done` is read, the next request and its interrupt may come
			put({ 'ev' => 'done', 'id' => id, **done })
		end

		# Gems that were installed since the last run are found.
		def notice_gems
			seen, @gems_at = @gems_at, (File.mtime("#{@gems ||= Gem.user_dir}/specifications") rescue nil)
			Gem.refresh if seen != @gems_at
		end

		def show(value)
			@binding.local_variable_set(:_, value)
			return if nil.equal?(value)
			text = Object === value ? value.inspect.to_s : '#<BasicObject>'
			return text if text.length <= VALUE_MAX
			"#{text[0, VALUE_MAX]}\u2026 #{text.length - VALUE_MAX} more characters"
		end

		# ---- display ---------------------------------------------------------------------------

		DISPLAY_MAX = 16 << 20 # bytes of one display on their way, all its forms together
		MIME = %r{\A[\w.+-]+/[\w.+-]+\z}
		SIGNS = { 'image/png' => "\x89PNG\r\n\x1A\n".b, 'image/jpeg' => "\xFF\xD8\xFF".b, 'image/gif' => 'GIF8'.b,
			'application/pdf' => '%PDF-'.b }
		WAYS = { to_png: 'image/png', to_svg: 'image/svg+xml', to_html: 'text/html' }

		# What display() shows: forms by MIME type, the bytes of an image, what knows how it looks, or just text.
		def display(*values)
			values.each { |value| put_forms(forms_of(value)) }
			nil
		end

		def forms_of(value)
			return value if value.is_a?(Hash) && !value.empty? && value.keys.all? { |key| key.to_s.match?(MIME) }
			if value.is_a?(String)
				mime, = SIGNS.find { |_, sign| value.b.start_with?(sign) }
				return { mime || 'text/plain' => value }
			end
			forms = WAYS.select { |way, _| value.respond_to?(way) }.to_h { |way, mime| [mime, value.public_send(way)] }
			{ 'text/plain' => value.inspect.to_s, **forms }
		end

		def put_forms(forms)
			room, too_big = DISPLAY_MAX, []
			data = forms.each_with_object({}) do |(mime, given), kept|
				text = form_of(mime.to_s, given)
				if text.bytesize > room
					too_big << "#{mime} left out: #{text.length} characters are too many to show"
				else
					kept[mime.to_s] = text
					room -= text.bytesize
				end
			end
			data['text/plain'] = too_big.join("\n") if too_big.any? && (data.keys - ['text/plain']).empty?
			return if data.empty?
			return warn("a display (#{data.keys.join(', ')}) came after its run had ended") if late? || !@run_id
			[STDOUT, STDERR].each(&:flush)
			put_shielded('ev' => 'display', 'id' => @run_id, 'data' => data)
			sleep(0.001) # that it is read before what is printed next, which comes by another pipe
		end

		# Text, or base64 for what is none.
		def form_of(mime, data)
			return JSON.generate(data) if mime.end_with?('json') && !data.is_a?(String)
			text = data.to_s
			is_text = mime.start_with?('text/') || mime.match?(%r{[+/](?:xml|json)\z})
			is_base64 = text.ascii_only? && text.count("^A-Za-z0-9+/= \t\r\n").zero?
			is_text || is_base64 ? text : [text].pack('m0')
		end

		# Everything that the run has printed goes out; adds to the members of `done`.
		def finish(done)
			[STDOUT, STDERR].each { |io| io.sync = true } # which flushes
			drop_input
			watch_interrupts
			note_threads if Thread.list.size > 1
			leave_set(done)
		end

		def cpu_us
			times = Process.times
			own = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :microsecond)
			own + ((times.cutime + times.cstime) * 1e6).to_i
		end

		# ---- programs -------------------------------------------------------------------------

		def program(code, file)
			path = place(file, code)
			$0 = path
			tail = code.index(/^__END__$\n?/)
			if tail
				data = File.open(path)
				data.seek(code[0, tail].bytesize + code[tail..][/\A__END__\n?/].bytesize)
				Object.const_set(:DATA, data)
			end
			RubyVM::InstructionSequence.compile_file(path).eval
			nil
		end

		# Where the program lies: in the working directory under its name, if that leads no further up and nothing
		# else is there; else in a new directory. What is made for it is removed at the end.
		def place(file, code)
			is_inside = !file.start_with?('/') && !file.split('/').include?('..')
			path = is_inside ? file : File.basename(file)
			return path if File.file?(path) && File.binread(path) == code.b
			write_new(path, code)
			path
		rescue SystemCallError
			require 'tmpdir'
			folder = Dir.mktmpdir('program-')
			at_exit { Dir.rmdir(folder) if @pid == Process.pid && Dir.empty?(folder) }
			path = File.join(folder, File.basename(file))
			write_new(path, code)
			path
		end

		def write_new(path, code)
			File.open(path, File::WRONLY | File::CREAT | File::EXCL) { |io| io.write(code) }
			whole = File.expand_path(path)
			at_exit { File.unlink(whole) if @pid == Process.pid && File.exist?(whole) }
		end

		# What Ruby does at the end of a program: blocks of at_exit, which may set another exit code.
		def leave
			@run_id, @state = nil, ENDING
			trap('INT', 'DEFAULT')
			exit(0)
		end

		# ---- errors ---------------------------------------------------------------------------

		def explain(error)
			case error
			when Interrupt then { 'status' => 'interrupted' }
			when SystemExit
				code = error.status & 0xff
				{ 'status' => code == 0 ? 'ok' : 'error', 'exit_code' => code }
			else { 'status' => 'error', 'error' => describe(error) }
			end
		end

		def describe(error)
			message = attempt { error.message.to_s }[0, MESSAGE_MAX]
			rows = attempt { story(error) }.split("\n")
			rows[ROWS_MAX / 2...-ROWS_MAX / 2] = "  \u2026 #{rows.size - ROWS_MAX} lines left out \u2026" if rows.size > ROWS_MAX
			rows.map! { |row| row.length <= ROW_MAX ? row : "#{row[0, ROW_MAX]}\u2026" }
			{ 'name' => error.class.name || 'Exception', 'message' => message, 'traceback' => rows }
		end

		# As Ruby prints it, without our frames.
		def story(error)
			one = error
			while one
				rows = one.backtrace
				one.set_backtrace(rows.grep_v(/\A(?:<terrarium>|-e:1:in )/)) if rows
				one = one.cause
			end
			return utf8(error.message) if error.is_a?(SyntaxError) && (error.backtrace || []).empty?
			text = utf8(error.full_message(highlight: false, order: :top))
			error.backtrace.to_a.empty? ? text.delete_prefix("#{FILE}: ").delete_prefix('-e:1:in ').sub(/\A`.*?': /, '') : text
		end

		def attempt
			utf8(yield)
		rescue Exception => e
			"(it cannot be told: #{e.class})"
		end

		# ---- threads and processes --------------------------------------------------------------

		def late? = Thread.current != Thread.main && Thread.current.group != @group

		# A thread gets the group of the one that starts it: so all that come of this run are known.
		def note_threads
			[STDOUT, STDERR].each { |io| io.extend(Late) } unless @is_late
			@is_late = true
			@group = ThreadGroup.new.add(Thread.main)
		end

		def become_child
			return if @is_child
			@is_child = true
			[@requests, @events, *@sets.flatten].each(&:close)
		end

		# A fork of ours has come back from the user's code: it ends, as any program would.
		def leave_child(error)
			become_child
			trap('INT', 'DEFAULT')
			raise error if error
			exit(0)
		end

		def newest = File.read('/proc/loadavg')[/\d+\s*\z/].to_i

		# Which of our output pipes other processes can write to.
		def writers
			ours = @sets.flatten.to_h { |io| [File.readlink("/proc/self/fd/#{io.fileno}"), true] }
			held = {}
			3.times do
				before = newest
				Dir.each_child('/proc') do |pid|
					look_at(pid, ours, held) if pid =~ /\A\d/ && pid.to_i != @pid
				end
				return held if newest == before
			end
			hold_current(held) # somebody may have been overlooked
		rescue SystemCallError # nobody can be seen
			hold_current(held)
		end

		def hold_current(held)
			@sets[@set].each { |io| held[File.readlink("/proc/self/fd/#{io.fileno}")] = true }
			held
		end

		def look_at(pid, ours, held)
			Dir.each_child("/proc/#{pid}/fd") do |fd|
				link = File.readlink("/proc/#{pid}/fd/#{fd}")
				next unless ours[link] && !held[link]
				held[link] = true if File.read("/proc/#{pid}/fdinfo/#{fd}")[/^flags:\s*(\d+)/, 1].oct & 3 != 0
			rescue SystemCallError
				next # closed meanwhile
			end
		rescue SystemCallError
			nil # gone, or none of ours
		end

		# Processes of this run may go on printing: later runs take other pipes.
		def leave_set(done)
			latest = newest
			return if latest == @newest
			@newest = latest
			held = writers
			taken = @sets.map { |pair| pair.any? { |io| held[File.readlink("/proc/self/fd/#{io.fileno}")] } }
			return unless taken[@set]
			order = (1..SPARE_SETS).map { |i| (@set + i) % @sets.size }
			@set = order.find { |k| !taken[k] } || order.first
			others = @is_late ? [Open, Late] : [Open]
			[STDOUT, STDERR].each_with_index { |io, i| reopen(io, @sets[@set][i], *others) }
			done['set'] = @set
		end

		# ---- questions --------------------------------------------------------------------------

		def answer(request)
			data, error = guard { send("answer_#{request['op']}", request) }
			exit!(1) if @pid != Process.pid
			answer = error ? { 'error' => "the kernel could not answer: #{error.class}" } : { 'data' => data }
			@state = WAITING
			put({ 'ev' => 'reply', 'id' => request['id'], **answer })
		end

		# The value of a name, without running code of the user's; throws :none where there is none.
		def value_of(name)
			first, *rest = name.split('::')
			value = case first
				when nil then Object
				when /\A@/ then @binding.receiver.instance_variable_get(first)
				when /\A\$/ then global_variables.include?(first.to_sym) ? @binding.eval(first) : throw(:none)
				when /\A[A-Z]/ then constant_of(Object, first)
				else
					throw(:none) unless @binding.local_variable_defined?(first)
					@binding.local_variable_get(first)
				end
			rest.inject(value) { |scope, part| constant_of(scope, part) }
		rescue NameError
			throw :none
		end

		def constant_of(scope, name)
			throw(:none) unless Module === scope && scope.const_defined?(name) && !scope.autoload?(name)
			scope.const_get(name)
		end

		def methods_of(value) = Kernel.instance_method(:methods).bind_call(value)

		NAME = /(?:@@?|\$)?(?:::)?[[:alpha:]_]\w*(?:::[[:alpha:]_]\w*)*/

		def answer_complete(request)
			code = request['code']
			cursor = request['cursor'].to_i.clamp(0, code.length)
			before = code[0, cursor]
			prefix = before[/(?:@@?|\$)?[[:alnum:]_]*[?!]?\z/]
			found = catch(:none) { candidates(before.delete_suffix(prefix), prefix) } || {}
			names = found.keys.map(&:to_s).select { |name| name.start_with?(prefix) }.uniq.sort
			names = names.first(MATCHES_MAX)
			{ 'matches' => names, 'kinds' => names.map { |name| found[name.to_sym] },
				'start' => cursor - prefix.length, 'end' => cursor }
		end

		def candidates(before, prefix)
			case before
			when /(#{NAME})::\z/
				scope = value_of(Regexp.last_match(1))
				throw(:none) unless Module === scope
				kinds(scope.constants, 'class').merge(kinds(scope.singleton_methods, 'function'))
			when /(?:(#{NAME})|(["'])|((?:\A|[\s=(,])\[[^\[\]]*\])|(?<![\w.])\d+)&?\.\z/
				value = Regexp.last_match(1) ? value_of(Regexp.last_match(1)) : Regexp.last_match(2) ? '' : Regexp.last_match(3) ? [] : 0
				kinds(methods_of(value).grep(/\A\w/), 'function')
			when /[.]\z/ then {} # behind a call: it would have to be run
			else names_in_scope(prefix)
			end
		end

		def kinds(names, kind) = names.to_h { |name| [name, kind] }

		KEYWORDS = %i[BEGIN END alias and begin break case class def defined? do else elsif end ensure false for if in
			module next nil not or redo rescue retry return self super then true undef unless until when while yield]

		def names_in_scope(prefix)
			receiver = @binding.receiver
			return kinds(receiver.instance_variables, 'variable') if prefix.start_with?('@')
			return kinds(global_variables, 'variable') if prefix.start_with?('$')
			kinds(KEYWORDS, 'keyword')
				.merge(kinds(receiver.methods + receiver.private_methods, 'function'))
				.merge(kinds(Object.constants, 'class'), kinds(@binding.local_variables, 'variable'))
		end

		def answer_inspect(request)
			code, cursor = request['code'], request['cursor'].to_i.clamp(0, request['code'].length)
			last = cursor + code[cursor..][/\A\w*[?!]?/].length
			text = code[0, last][/#{NAME}(?:\.\w+[?!]?)?\z/] || code[0, cursor][/(#{NAME}(?:\.\w+[?!]?)?)\([^()]*\z/, 1]
			answer = text && catch(:none) { tell_of(text) }
			answer || { 'found' => false }
		end

		def tell_of(text)
			owner, name = text.split('.')
			return tell_of_method(text, value_of(owner), name) if name
			known = catch(:none) { [value_of(text)] }
			return tell_of_method(text, @binding.receiver, text) unless known
			value = known.first
			type = Kernel.instance_method(:class).bind_call(value)
			{ 'found' => true, 'name' => text, 'type' => type.to_s, 'value' => short(value) }
		end

		def tell_of_method(text, owner, name)
			found = Kernel.instance_method(:method).bind_call(owner, name)
			{ 'found' => true, 'name' => text, 'type' => found.class.to_s, 'value' => short(found),
				'signature' => "#{name}(#{found.parameters.map { |kind, part| parameter(kind, part) }.join(', ')})" }
		rescue NameError
			throw :none
		end

		def parameter(kind, name)
			shape = { req: '%s', opt: '%s = ...', rest: '*%s', keyreq: '%s:', key: '%s: ...', keyrest: '**%s', block: '&%s' }
			format(shape.fetch(kind, '%s'), (name || ('arg' if kind == :req)).to_s.sub(/\A[*&]+\z/, ''))
		end

		def short(value)
			text = attempt { value.inspect.to_s }.tr("\n", ' ')
			text.length <= SHORT ? text : "#{text[0, SHORT - 1]}\u2026"
		end

		# Local variables, the instance variables of the main object, and what globals and constants the user has made.
		def answer_variables(request)
			receiver, is_whole = @binding.receiver, request['cursor'] != 1
			rows = (@binding.local_variables - [:_]).map { |name| [name, @binding.local_variable_get(name)] }
			rows += receiver.instance_variables.map { |name| [name, receiver.instance_variable_get(name)] }
			rows += (global_variables - @globals).map { |name| [name, @binding.eval(name.to_s)] }
			rows += (Object.constants - @constants).reject { |name| Object.autoload?(name) }
				.map { |name| [name, Object.const_get(name)] }.reject { |_, value| Module === value }
			{ 'variables' => rows.map { |name, value| row_of(name, value, is_whole) } }
		end

		def row_of(name, value, is_whole)
			type = Kernel.instance_method(:class).bind_call(value)
			size = is_whole && [String, Array, Hash].include?(type) ? value.size.to_s : ''
			{ 'name' => name.to_s, 'type' => type.to_s, 'size' => size, 'value' => is_whole ? short(value) : '',
				'is_table' => type == Array && !value.empty? }
		end

		CELL, CELLS_MAX, SAMPLE = 200, 20_000, 1000

		# An array of hashes, of arrays or of values; nil: it is no table.
		def columns_of(rows)
			return unless Array === rows && !rows.empty?
			sample = rows.first(SAMPLE)
			return sample.flat_map(&:keys).uniq if sample.all?(Hash)
			return (0...sample.map(&:size).max).to_a if sample.all?(Array)
			[nil]
		end

		def cell_of(row, key)
			return row if key.nil?
			return row.fetch(key) { :none } if Hash === row
			Array === row && Integer === key && key < row.size ? row[key] : :none
		end

		def cell_text(value) = value == :none ? nil : (String === value ? utf8(value[0, CELL + 1]) : short(value))[0, CELL]

		def answer_table(request)
			path, known = request['code'], false
			rows = catch(:none) { value_of(path).tap { known = true } }
			return { 'found' => false, 'why' => "there is no variable of this name: #{path}" } unless known
			keys = columns_of(rows)
			return { 'found' => false, 'why' => "no table: #{path} is of the type #{rows.class}" } unless keys
			places = places_of(rows, keys, request)
			first, column = request.fetch('row', 0), request.fetch('column', 0)
			shown = keys[column, [request.fetch('width', 20), 200].min] || []
			count = [request.fetch('count', 50), 500, CELLS_MAX / [shown.size, 1].max].min
			page = places ? places[first, count] || [] : (first...[first + count, rows.size].min).to_a
			{ 'found' => true, 'type' => rows.class.to_s, 'rows' => rows.size, 'columns' => keys.size, 'row' => first,
				'column' => column, 'heads' => shown.map { |key| head_of(rows, key) }, 'labels' => page.map(&:to_s),
				'cells' => page.map { |i| shown.map { |key| cell_text(cell_of(rows[i], key)) } },
				**find_in(rows, keys, places, request) }
		end

		def head_of(rows, key)
			types = rows.first(SAMPLE).map { |row| cell_of(row, key) }.reject { |v| v == :none || v.nil? }.map(&:class).uniq
			{ 'name' => key.nil? ? 'value' : key.to_s[0, CELL], 'type' => types.size > 3 ? 'mixed' : types.join('|'),
				'is_number' => !types.empty? && types.all? { |type| type <= Numeric } }
		end

		# Places of the rows in the order that is asked for; nil: as they are. What is missing comes last.
		def places_of(rows, keys, request)
			sort = request['sort']
			return unless sort && sort < keys.size
			values = rows.map { |row| cell_of(row, keys[sort]) }
			known, missing = values.each_index.partition { |i| values[i] != :none && !values[i].nil? }
			known = begin
				known.sort_by { |i| [values[i], request['down'] ? -i : i] }
			rescue ArgumentError, NoMethodError # of different types
				known.sort_by { |i| [values[i].class.to_s, cell_text(values[i]), i] }
			end
			(request['down'] ? known.reverse : known) + missing
		end

		def find_in(rows, keys, places, request)
			return {} unless request['find']
			text, from = request['find'].downcase, request.fetch('from', 0)
			ends = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 0.5
			(from...rows.size).each do |at|
				row = rows[places ? places[at] : at]
				return { 'hit' => at } if keys.any? { |key| cell_text(cell_of(row, key)).to_s.downcase.include?(text) }
				return { 'looked' => at + 1 } if at % 100 == 0 && Process.clock_gettime(Process::CLOCK_MONOTONIC) > ends
			end
			{ 'looked' => rows.size }
		end

		OPEN = /unexpected end-of-input|unterminated|meets end of file|before EOF/

		def answer_is_complete(request)
			require 'ripper'
			code = request['code']
			parser = Class.new(Ripper) do
				attr_reader :said
				def on_parse_error(text) = (@said ||= []) << text
				def compile_error(text) = (@said ||= []) << text
			end.new(code)
			parser.parse
			said = parser.said.to_a
			return { 'status' => 'incomplete', 'indent' => indent_after(code) } if said.any?(OPEN) || code.end_with?("\\\n", '\\')
			{ 'status' => parser.error? ? 'invalid' : 'complete', 'indent' => '' }
		end

		OPENS = /\b(?:do|then)(?:\s*\|[^|]*\|)?\s*\z|[({\[|]\s*\z|\A\s*(?:begin|case|class|def|else|elsif|ensure|for|if|in|module|rescue|unless|until|when|while)\b(?!.*\bend\s*\z)/

		def indent_after(code)
			row = code.split("\n").reject { |one| one.strip.empty? }.last.to_s
			margin = row[/\A\s*/]
			row.match?(OPENS) ? "#{margin}  " : margin
		end

		# Classes and methods cannot be taken back: the host starts a new process instead (resets_by_restart).
		def answer_reset(_request)
			@binding = TOPLEVEL_BINDING.dup
			{}
		end
	end
end

Object.private_constant(:Terrarium)
driver = Terrarium
driver.start
