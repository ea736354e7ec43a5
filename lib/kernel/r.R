# SPDX-License-Identifier: MIT
# The kernel driver for R. What is spoken on its descriptors is in kernel.h.
#
# R interrupts nothing while suspendInterrupts() is in force, which is so but for the code of the user. It cannot tell
# an interrupt that comes between two runs from one that is meant for the next: so what is pending when a request
# comes is forgotten, and the host repeats an interrupt (loses_interrupts).
local({
	user <- globalenv()
	mode_max <- 1000000L
	rows_max <- 200L
	spare_sets <- 4L
	run_id <- NULL
	one <- NULL # the expression that is evaluated
	jit <- .Internal(enableJIT(0L)) # for the user's code: to compile the driver takes longer than it saves
	state <- new.env()
	own_library <- file.path(Sys.getenv("HOME"), ".local", "share", "R") # where `terrarium install` puts packages
	has_own_library <- FALSE

	# ---- descriptors and events ---------------------------------------------------------

	if (!l10n_info()[["UTF-8"]]) suppressWarnings(Sys.setlocale("LC_CTYPE", "C.UTF-8"))
	requests <- file("/proc/self/fd/3", "r", raw = TRUE, encoding = "UTF-8")
	events <- file("/proc/self/fd/4", "wb", raw = TRUE)

	utf8 <- function(text) {
		text <- enc2utf8(as.character(text))
		bad <- !validUTF8(text)
		text[bad] <- iconv(text[bad], "UTF-8", "UTF-8", sub = "byte")
		text
	}

	quoted <- function(text) {
		text <- utf8(text)
		if (!any(grepl("[\"\\\\\001-\037\177]", text))) return(paste0("\"", text, "\"")) # usually
		text <- gsub("\\", "\\\\", text, fixed = TRUE)
		text <- gsub("\"", "\\\"", text, fixed = TRUE)
		text <- gsub("\n", "\\n", text, fixed = TRUE)
		text <- gsub("\t", "\\t", text, fixed = TRUE)
		text <- gsub("\r", "\\r", text, fixed = TRUE)
		for (char in unique(unlist(regmatches(text, gregexpr("[\001-\037\177]", text)))))
			text <- gsub(char, sprintf("\\u%04x", utf8ToInt(char)), text, fixed = TRUE)
		paste0("\"", text, "\"")
	}

	# Names are for objects, their absence for arrays; I() keeps an array of one element.
	json <- function(value) {
		if (is.list(value) && (is.null(names(value)) || !length(value)))
			return(if (is.null(value) || !length(value) && !is.null(names(value))) "{}"
				else paste0("[", paste(vapply(value, json, ""), collapse = ","), "]"))
		if (is.list(value))
			return(paste0("{", paste0("\"", names(value), "\":", vapply(value, json, ""), collapse = ","), "}"))
		text <- if (is.logical(value)) ifelse(value, "true", "false")
			else if (is.numeric(value)) format(value, scientific = FALSE, trim = TRUE)
			else if (length(value)) quoted(value)
		if (length(value) == 1L && !inherits(value, "AsIs")) text
		else paste0("[", paste(text, collapse = ","), "]")
	}

	put <- function(event) {
		tryCatch({
			writeBin(charToRaw(paste0(if (is.list(event)) json(event) else event, "\n")), events)
			flush(events)
		}, error = function(e) .Internal(quit("no", 1L, FALSE))) # nobody listens any more
	}

	# A request is an object of texts, numbers and truth values, and perhaps an array of texts.
	token <- "\"(?:[^\"\\\\]++|\\\\.)*+\"|[\\[\\]:,]|-?[0-9]+|true|false"

	unquoted <- function(text) {
		if (!grepl("\\", text, fixed = TRUE)) return(substr(text, 2L, nchar(text) - 1L))
		str2lang(gsub("\\/", "/", text, fixed = TRUE))
	}

	# One of texts only, without escapes, is cut at its quotes, which takes a tenth of the time.
	parse_plain <- function(line) {
		parts <- strsplit(line, "\"", fixed = TRUE)[[1L]]
		n <- length(parts)
		if (n %% 4L != 1L || parts[1L] != "{" || parts[n] != "}") return(NULL)
		if (any(parts[seq.int(3L, n, 4L)] != ":") || n > 5L && any(parts[seq.int(5L, n - 1L, 4L)] != ",")) return(NULL)
		request <- as.list(parts[seq.int(4L, n, 4L)])
		names(request) <- parts[seq.int(2L, n, 4L)]
		request
	}

	parse_request <- function(line) {
		if (!grepl("\\", line, fixed = TRUE) && !is.null(request <- parse_plain(line))) return(request)
		parts <- regmatches(line, gregexpr(token, line, perl = TRUE))[[1L]]
		request <- list()
		at <- 1L
		while (at < length(parts)) {
			name <- unquoted(parts[at])
			at <- at + 2L
			if (parts[at] == "[") {
				end <- at + match("]", parts[at:length(parts)]) - 1L
				texts <- parts[at:end]
				request[[name]] <- vapply(texts[startsWith(texts, "\"")], unquoted, "", USE.NAMES = FALSE)
				at <- end
			} else {
				text <- parts[at]
				request[[name]] <- if (startsWith(text, "\"")) unquoted(text) else if (text == "true") TRUE
					else if (text == "false") FALSE else as.numeric(text)
			}
			at <- at + 2L
		}
		request
	}

	# ---- standard input -----------------------------------------------------------------

	state$input <- raw()
	input <- NULL

	# More of standard input, FALSE at its end. R's own reads cannot be interrupted, so this one looks again and again.
	fill <- function() {
		if (is.null(input)) input <<- fifo("/proc/self/fd/0", "rb", blocking = FALSE)
		look <- function() tryCatch(readBin(input, "raw", 65536L), error = function(e) NULL) # NULL: nothing yet
		bytes <- look()
		if (is.null(bytes)) {
			suspendInterrupts(put(list(ev = "input", id = run_id, prompt = state$prompt, secret = FALSE)))
			pause <- 0.001
			while (is.null(bytes <- look())) {
				Sys.sleep(pause)
				pause <- min(pause * 1.5, 0.05)
			}
		}
		state$input <- c(state$input, bytes)
		length(bytes) > 0L
	}

	# A line without its end, NULL at the end of the input.
	read_line <- function(prompt = "") {
		state$prompt <- prompt
		while (is.na(end <- match(as.raw(10L), state$input)))
			if (!fill()) break
		if (is.na(end)) {
			if (!length(state$input)) return(NULL)
			end <- length(state$input) + 1L
		}
		bytes <- state$input[seq_len(end - 1L)]
		state$input <- state$input[-seq_len(end)]
		text <- rawToChar(bytes[bytes != 0L])
		Encoding(text) <- "UTF-8"
		text
	}

	is_stdin <- function(con) {
		if (is.character(con)) return(identical(con, "stdin"))
		inherits(con, "connection") && summary(con)$description == "stdin"
	}

	real <- list(readLines = base::readLines, scan = base::scan, quit = base::quit, commandArgs = base::commandArgs)

	replace <- function(...) {
		functions <- list(...)
		for (name in names(functions)) {
			unlockBinding(name, baseenv())
			assign(name, functions[[name]], envir = baseenv())
			lockBinding(name, baseenv())
		}
	}

	leave_run <- function(save = "default", status = 0, runLast = TRUE) {
		if (is.null(run_id)) real$quit(save, status, runLast)
		invokeRestart("terrarium_exit", as.integer(status))
	}

	replace(
		# Files ask by it whether they are run or sourced.
		sys.nframe = function() {
			n <- .Internal(sys.nframe())
			if (identical(n, state$depth)) 0L else n
		},
		readline = function(prompt = "") {
			cat(prompt)
			line <- read_line(prompt)
			if (is.null(line)) "" else line
		},
		readLines = function(con = stdin(), n = -1L, ...) {
			if (!is_stdin(con)) return(real$readLines(con, n, ...))
			lines <- character()
			while ((n < 0L || length(lines) < n) && !is.null(line <- read_line()))
				lines <- c(lines, line)
			lines
		},
		scan = function(file = "", what = double(), nmax = -1L, n = -1L, ..., nlines = 0, text) {
			rest <- list(what = what, ..., nlines = nlines)
			if (nmax >= 0L) rest$nmax <- nmax
			if (n >= 0L) rest$n <- n
			if (missing(text) && (is_stdin(file) || identical(file, ""))) {
				text <- readLines("stdin", if (nlines > 0) nlines else if (n == 1L || nmax == 1L) 1L else -1L)
				do.call(real$scan, c(list(text = if (length(text)) text else ""), rest))
			} else if (missing(text)) do.call(real$scan, c(list(file = file), rest))
			else do.call(real$scan, c(list(text = text), rest))
		},
		warnings = function(...) if (length(state$last_warnings))
			structure(state$last_warnings, dots = list(...), class = "warnings"),
		quit = leave_run, q = leave_run)

	# ---- running ------------------------------------------------------------------------

	clear_interrupt <- function() tryCatch(allowInterrupts(Sys.sleep(0)), interrupt = function(e) NULL)

	# srcfilecopy(), without looking for a file of that name.
	source_of <- function(file, lines) {
		made <- list2env(list(filename = file, lines = lines, Enc = "unknown", isFile = FALSE, parseData = NULL,
			timestamp = 0, wd = ""), parent = emptyenv())
		class(made) <- c("srcfilecopy", "srcfile")
		made
	}

	# Evaluate the expressions; shows all values that R would, and gives the text of the last one.
	evaluate <- function(code, file) {
		lines <- strsplit(code, "\n", fixed = TRUE)[[1L]]
		expressions <- tryCatch(parse(text = lines, keep.source = TRUE, srcfile = source_of(file, lines)),
			error = function(e) stop(errorCondition(conditionMessage(e), class = "parseError")))
		state$srcrefs <- attr(expressions, "srcref")
		value <- NULL
		state$depth <- sys.nframe() + 3L # of the user's top level: withVisible(), and twice eval()
		for (i in seq_along(expressions)) {
			state$at <- i
			one <<- expressions[[i]]
			.Internal(enableJIT(jit))
			result <- withVisible(eval(one, user))
			jit <<- .Internal(enableJIT(0L))
			if (i == length(expressions)) {
				if (result$visible) value <- shown(result$value)
			} else if (result$visible)
				show_value(result$value)
		}
		value
	}

	plain_types <- c("double", "integer", "logical", "character")
	print_methods <- paste0("print.", c("numeric", "double", "integer", "logical", "character", "default"))

	is_plain <- function(value) {
		length(value) == 1L && is.null(attributes(value)) && typeof(value) %in% plain_types && !is.na(value) &&
			(!is.character(value) || nchar(value, "bytes") < 1000L) &&
			!any(print_methods %in% names(user))
	}

	show_value <- function(value) if (isS4(value)) methods::show(value) else print(value)

	# What printing a value gives. It may be that this opens a plot, or asks something. A plain number or text is printed
	# by the rules that print() has for it; to catch what print() prints takes four times as long.
	shown <- function(value) {
		if (is_plain(value))
			return(paste0("[1] ", if (is.character(value)) encodeString(value, quote = "\"") else format.default(value)))
		lines <- NULL
		into <- textConnection("lines", "w", local = TRUE)
		sink(into)
		depth <- sink.number()
		tryCatch(show_value(value), finally = {
			while (sink.number() >= depth) sink()
			close(into)
		})
		text <- paste(lines, collapse = "\n")
		rest <- nchar(text) - mode_max
		if (rest > 0L) text <- sprintf("%s\u2026 %d more characters", substr(text, 1L, mode_max), rest)
		if (length(lines)) text
	}

	# An error or warning at top level is R's own call of eval() to itself, not to its reader.
	call_of <- function(condition) {
		call <- conditionCall(condition)
		if (!identical(call, quote(eval(one, user))) && !identical(call, quote(withVisible(eval(one, user))))) call
	}

	headline <- function(word, condition) {
		call <- call_of(condition)
		message <- conditionMessage(condition)
		if (is.null(call)) return(paste0(word, ": ", message))
		call <- deparse(call, nlines = 1L)[1L]
		is_long <- nchar(call, "w") + nchar(strsplit(message, "\n")[[1L]][1L], "w", NA) + 14L > 77L
		paste0(word, " in ", call, if (isTRUE(is_long)) " : \n  " else " : ", message)
	}

	# The user's calls, from the outermost to the one that failed, each with its place.
	trace <- function(calls) {
		ours <- which(vapply(calls, identical, NA, quote(eval(one, user))))
		if (!length(ours)) return(character())
		calls <- calls[-seq_len(max(ours[ours <= ours[1L] + 1L]))]
		ends <- c(".handleSimpleError", "signalCondition", ".signalSimpleWarning")
		names <- vapply(calls, function(call) if (is.name(call[[1L]])) as.character(call[[1L]]) else "", "")
		end <- match(TRUE, names %in% ends)
		if (!is.na(end)) calls <- calls[seq_len(end - 1L)]
		if (length(calls) && identical(calls[[length(calls)]][[1L]], quote(h))) calls <- calls[-length(calls)]
		rows <- vapply(seq_along(calls), function(i) row_of(calls[[i]], i == 1L), "")
		if (length(rows) > rows_max) {
			half <- rows_max %/% 2L
			gap <- sprintf("  \u2026 %d lines left out \u2026", length(rows) - rows_max)
			rows <- c(utils::head(rows, half), gap, utils::tail(rows, half))
		}
		rows
	}

	row_of <- function(call, is_first) {
		place <- attr(call, "srcref")
		if (is.null(place) && is_first) place <- state$srcrefs[[state$at]]
		text <- substr(deparse(call, nlines = 1L)[1L], 1L, 1000L)
		if (is.null(place)) return(paste0("  ", text))
		sprintf("  %s at %s:%d", text, attr(place, "srcfile")$filename, place[1L])
	}

	place_of_top <- function() {
		place <- state$srcrefs[[state$at]]
		sprintf("  at %s:%d", attr(place, "srcfile")$filename, place[1L])
	}

	# Members of `done` that tell of an error.
	describe <- function(error, rows) {
		message <- conditionMessage(error)
		if (!length(rows) && !is.null(state$srcrefs)) rows <- place_of_top()
		text <- c(strsplit(headline("Error", error), "\n", fixed = TRUE)[[1L]], rows)
		list(status = "error", error = list(name = class(error)[1L], message = substr(utf8(message)[1L], 1L, 100000L),
			traceback = I(substr(utf8(text), 1L, 4000L))))
	}

	# R says this of its own compiler when an interrupt has met that.
	restarted <- gettext("restarting interrupted promise evaluation", domain = "R")

	on_warning <- function(warning) {
		level <- getOption("warn")
		if (level >= 2L) return()
		if (conditionMessage(warning) == restarted) level <- -1L
		if (level == 1L) message(headline("Warning", warning))
		else if (level == 0L && length(state$warnings) < getOption("nwarnings", 50L))
			state$warnings <- c(state$warnings, list(warning))
		tryInvokeRestart("muffleWarning")
	}

	# As R tells them behind a call at its prompt.
	tell_warnings <- function() {
		all <- state$warnings
		state$warnings <- list()
		if (!length(all)) return()
		state$last_warnings <- lapply(all, call_of)
		names(state$last_warnings) <- vapply(all, conditionMessage, "")
		rows <- vapply(all, function(w) sub("^Warning(: | in )", "\\1", headline("Warning", w)), "")
		rows <- sub("^ in ", "In ", sub("^: ", "", rows))
		if (length(rows) > 10L)
			cat(sprintf("There were %d warnings (use warnings() to see them)\n", length(rows)), file = stderr())
		else if (length(rows) == 1L)
			cat("Warning message:\n", rows, "\n", sep = "", file = stderr())
		else
			cat("Warning messages:\n", paste0(seq_along(rows), ": ", rows, "\n"), sep = "", file = stderr())
	}

	# Run code of the user's; gives members of `done`.
	guard <- function(body) {
		rows <- character()
		state$warnings <- list()
		on_error <- function(e) {
			state$calls <- sys.calls()
			rows <<- trace(state$calls)
			state$calls <- NULL
		}
		withRestarts(
			tryCatch(
				withCallingHandlers({
					value <- allowInterrupts(body)
					if (is.null(value)) list(status = "ok") else list(status = "ok", value = value)
				}, error = on_error, warning = on_warning),
				error = function(e) describe(e, rows),
				interrupt = function(e) list(status = "interrupted")),
			terrarium_exit = function(status)
				list(status = if (status == 0L) "ok" else "error", exit_code = bitwAnd(status, 255L)),
			abort = function() list(status = "error", error =
				list(name = "abort", message = "the run was aborted", traceback = I("the run was aborted"))))
	}

	cpu_us <- function() round(sum(proc.time()[-3L]) * 1e6)

	run <- function(request) {
		run_id <<- request$id
		began <- cpu_us()
		file <- if (is.null(request$file)) "<run>" else request$file
		code <- request$code
		if (grepl("\r", code, fixed = TRUE) || startsWith(code, "\ufeff"))
			code <- gsub("\r\n?", "\n", sub("^\ufeff", "", code))
		state$srcrefs <- NULL
		if (!has_own_library && dir.exists(own_library)) {
			has_own_library <<- TRUE
			.libPaths(c(own_library, .libPaths()))
		}
		state$is_program <- isTRUE(request$program)
		if (state$is_program) {
			file <- place(file, request$code)
			on.exit(unlink(state$placed, recursive = TRUE))
		}
		if (state$is_program || !is.null(request$args)) {
			replace(commandArgs = function(trailingOnly = FALSE)
				c(if (!trailingOnly) c("R", paste0("--file=", file), "--args"), request$args))
			if (!state$is_program) on.exit(replace(commandArgs = real$commandArgs), add = TRUE)
		}
		done <- guard(evaluate(code, file))
		.Internal(enableJIT(0L))
		tell_warnings()
		if (state$is_program && !is.null(done$value)) {
			cat(done$value, "\n", sep = "")
			done$value <- NULL
		}
		show_plots()
		state$input <- raw()
		flush(stdout())
		set <- leave_set()
		if (!is.null(set)) done$set <- set
		done$cpu_us <- cpu_us() - began
		id <- run_id
		run_id <<- NULL
		# Most runs end so; json() takes several times as long.
		put(if (is.null(done$error) && is.null(done$exit_code) && is.null(set))
			paste0("{\"ev\":\"done\",\"id\":\"", id, "\",\"status\":\"", done$status, "\"",
				if (!is.null(done$value)) paste0(",\"value\":", quoted(done$value)),
				",\"cpu_us\":", sprintf("%.0f", done$cpu_us), "}")
			else c(list(ev = "done", id = id), done))
	}

	# Where a program lies: in the working directory under its name, if that leads no further up and nothing else is
	# there; else in a new directory.
	place <- function(file, code) {
		is_inside <- !startsWith(file, "/") && !".." %in% strsplit(file, "/", fixed = TRUE)[[1L]]
		path <- if (is_inside) file else basename(file)
		bytes <- charToRaw(code)
		state$placed <- character()
		if (file.exists(path)) {
			if (identical(readBin(path, "raw", length(bytes) + 1L), bytes)) return(path)
			state$placed <- tempfile("program-")
			dir.create(state$placed)
			path <- file.path(state$placed, basename(file))
		} else
			state$placed <- normalizePath(path, mustWork = FALSE)
		writeBin(bytes, path)
		path
	}

	# ---- plots --------------------------------------------------------------------------

	plots <- file.path(tempdir(), "terrarium-plots")
	devices <- integer()
	options(device = function(...) {
		dir.create(plots, FALSE)
		grDevices::png(file.path(plots, "plot-%04d.png"), width = 1400, height = 1000, res = 200)
		devices <<- c(devices, grDevices::dev.cur())
	})
	if (capabilities("cairo")) options(bitmapType = "cairo")

	digits <- c(LETTERS, letters, 0:9, "+", "/")

	base64 <- function(bytes) {
		gap <- -length(bytes) %% 3L
		v <- matrix(as.integer(c(bytes, raw(gap))), 3L)
		codes <- rbind(v[1L, ] %/% 4L, v[1L, ] %% 4L * 16L + v[2L, ] %/% 16L, v[2L, ] %% 16L * 4L + v[3L, ] %/% 64L,
			v[3L, ] %% 64L)
		text <- digits[codes + 1L]
		if (gap) text[length(text) - seq_len(gap) + 1L] <- "="
		paste(text, collapse = "")
	}

	show_plots <- function() {
		if (!length(devices)) return()
		for (device in intersect(devices, grDevices::dev.list())) grDevices::dev.off(device)
		devices <<- integer()
		for (path in sort(list.files(plots, full.names = TRUE))) {
			bytes <- readBin(path, "raw", file.size(path))
			put(list(ev = "display", id = run_id, data = list("image/png" = base64(bytes), "text/plain" = "<plot>")))
			unlink(path)
		}
	}

	# ---- processes ----------------------------------------------------------------------

	newest <- function() strsplit(real$readLines("/proc/loadavg", 1L), " ", fixed = TRUE)[[1L]][5L]
	state$newest <- newest()
	links <- function(fds) Sys.readlink(file.path("/proc/self/fd", fds))
	set_names <- list(links(1:2))
	for (k in seq_len(spare_sets)) set_names[[k + 1L]] <- links(8L + 2L * k + 0:1)
	set_paths <- c(list(c("/proc/self/fd/240", "/proc/self/fd/241")), lapply(seq_len(spare_sets), function(k)
		file.path("/proc/self/fd", 8L + 2L * k + 0:1)))
	current <- 1L
	streams <- list()

	# Which of our output pipes other processes write to. R cannot keep the spare ones from its children, so these
	# count only where they have become standard output or another descriptor.
	writers <- function() {
		ours <- unlist(set_names)
		all <- grep("^[0-9]+$", list.files("/proc"), value = TRUE)
		if (!length(all)) return(set_names[[current]]) # nobody can be seen
		pids <- setdiff(all, as.character(Sys.getpid()))
		held <- character()
		for (pid in pids) {
			fds <- list.files(file.path("/proc", pid, "fd"))
			fds <- setdiff(fds, as.character(10:17))
			found <- Sys.readlink(file.path("/proc", pid, "fd", fds))
			for (i in which(found %in% ours))
				held <- c(held, found[i][is_written(pid, fds[i])])
		}
		held
	}

	is_written <- function(pid, fd) {
		rows <- tryCatch(real$readLines(file.path("/proc", pid, "fdinfo", fd)), error = function(e) "", warning = function(w) "")
		flags <- sub("^flags:\\s*", "", rows[startsWith(rows, "flags:")])
		length(flags) && bitwAnd(strtoi(substr(flags, nchar(flags), nchar(flags)), 8L), 3L) != 0L
	}

	# Processes of this run may go on printing: later runs take other pipes. A descriptor that is closed is the next
	# to be opened, which is how R puts another pipe in the place of its standard output.
	leave_set <- function() {
		latest <- newest()
		if (latest == state$newest) return(NULL)
		state$newest <- latest
		held <- suppressWarnings(writers())
		taken <- vapply(set_names, function(names) any(names %in% held), NA)
		if (!taken[current]) return(NULL)
		order <- (current - 1L + seq_len(spare_sets)) %% (spare_sets + 1L) + 1L
		order <- order[order != 1L] # the first pair has no other descriptors to come back by
		free <- order[!taken[order]]
		current <<- if (length(free)) free[1L] else order[1L]
		for (i in 1:2) {
			if (length(streams) >= i) close(streams[[i]]) else parallel:::closeFD(i)
			streams[[i]] <<- file(set_paths[[current]][i], "wb", raw = TRUE)
		}
		current - 1L
	}

	# ---- questions ----------------------------------------------------------------------

	short <- function(value) {
		text <- tryCatch({
			if (is.atomic(value) && is.null(attributes(value)) && length(value) <= 50L) deparse(value, 500L, nlines = 1L)
			else if (is.function(value)) deparse(args(value), 500L)[1L]
			else trimws(utils::capture.output(utils::str(value, max.level = 0L, give.attr = FALSE))[1L])
		}, error = function(e) "")
		text <- gsub("\n", " ", utf8(text)[1L], fixed = TRUE)
		if (nchar(text) > 200L) paste0(substr(text, 1L, 199L), "\u2026") else text
	}

	size_of <- function(value) {
		if (is.function(value) || is.environment(value)) ""
		else if (!is.null(dim(value))) paste(dim(value), collapse = "\u00d7")
		else as.character(length(value))
	}

	cell_texts <- function(column) {
		texts <- if (is.list(column)) vapply(column, short, "")
			else if (is.double(column) && !is.object(column)) vapply(column, format, "", digits = 7L)
			else as.character(column)
		texts <- utf8(texts)
		texts[is.na(texts)] <- "NA"
		substr(texts, 1L, 200L)
	}

	answers <- list(
		complete = function(request) {
			before <- substr(request$code, 1L, request$cursor)
			line <- sub(".*\n", "", before)
			utils:::.assignLinebuffer(line)
			utils:::.assignEnd(nchar(line))
			prefix <- utils:::.guessTokenFromLine()
			utils:::.completeToken()
			found <- utils::head(unique(utils:::.retrieveCompletions()), 1000L)
			found <- found[startsWith(found, prefix)]
			# What stands before the last name is not to be typed again.
			owner <- sub("[^$@:]*$", "", prefix)
			found <- substring(found, nchar(owner) + 1L)
			found <- found[nzchar(found)]
			kind <- function(name) if (grepl("=$", name)) "parameter" else if (grepl("::$", name)) "module"
				else if (!nzchar(owner) && exists(name, user, mode = "function")) "function" else "variable"
			list(matches = I(found), kinds = I(vapply(found, kind, "", USE.NAMES = FALSE)),
				start = request$cursor - nchar(prefix) + nchar(owner), end = request$cursor)
		},
		inspect = function(request) {
			rest <- substring(request$code, request$cursor + 1L)
			last <- request$cursor + attr(regexpr("^[A-Za-z0-9._]*", rest), "match.length")
			before <- substr(request$code, 1L, last)
			name <- "(?:[A-Za-z.][A-Za-z0-9._]*:::?)?[A-Za-z.][A-Za-z0-9._]*"
			text <- regmatches(before, regexpr(paste0(name, "(?=(?:\\([^()]*)?$)"), before, perl = TRUE))
			if (!length(text)) return(list(found = FALSE))
			parts <- strsplit(text, ":::?")[[1L]]
			from <- if (length(parts) == 2L && parts[1L] %in% loadedNamespaces()) asNamespace(parts[1L]) else user
			name <- parts[length(parts)]
			if (!exists(name, from)) return(list(found = FALSE))
			value <- get(name, from)
			answer <- list(found = TRUE, name = text, type = class(value)[1L], value = short(value))
			if (is.function(value)) answer$signature <- sub("^function *", name, short(value))
			answer
		},
		is_complete = function(request) {
			message <- tryCatch({
				parse(text = request$code, keep.source = FALSE)
				""
			}, error = conditionMessage)
			if (!nzchar(message)) return(list(status = "complete", indent = ""))
			if (!grepl("unexpected (end of input|INCOMPLETE_STRING)", message)) return(list(status = "invalid", indent = ""))
			lines <- strsplit(request$code, "\n", fixed = TRUE)[[1L]]
			line <- c(lines[nzchar(trimws(lines))], "")
			line <- line[max(1L, length(line) - 1L)]
			margin <- sub("^(\\s*).*", "\\1", line)
			list(status = "incomplete", indent = if (grepl("[({\\[]\\s*$", line)) paste0(margin, "  ") else margin)
		},
		variables = function(request) {
			is_whole <- !identical(request$cursor, 1)
			rows <- lapply(ls(user), function(name) {
				value <- get(name, user)
				list(name = name, type = class(value)[1L], size = if (is_whole) size_of(value) else "",
					value = if (is_whole) short(value) else "", is_table = is.data.frame(value) || is.matrix(value))
			})
			list(variables = rows)
		},
		table = function(request) {
			if (!exists(request$code, user, inherits = FALSE))
				return(list(found = FALSE, why = paste("there is no variable of this name:", request$code)))
			value <- get(request$code, user)
			type <- class(value)[1L]
			if (is.matrix(value)) value <- as.data.frame(value)
			if (!is.data.frame(value))
				return(list(found = FALSE, why = paste0("no table: ", request$code, " is of the type ", type)))
			given <- function(name, otherwise) if (is.null(request[[name]])) otherwise else request[[name]]
			places <- if (is.null(request$sort) || request$sort >= ncol(value)) seq_len(nrow(value))
				else order(value[[request$sort + 1]], decreasing = given("down", FALSE), na.last = TRUE)
			span <- function(first, count, all) if (first >= all) integer() else seq.int(first + 1, min(first + count, all))
			columns <- span(given("column", 0), min(given("width", 20), 200), ncol(value))
			shown <- places[span(given("row", 0), min(given("count", 50), 500, 20000 %/% max(1, length(columns))), nrow(value))]
			texts <- lapply(columns, function(j) cell_texts(value[[j]][shown]))
			heads <- lapply(columns, function(j) list(name = names(value)[j], type = class(value[[j]])[1L],
				is_number = is.numeric(value[[j]]) && !is.factor(value[[j]])))
			answer <- list(found = TRUE, type = type, rows = nrow(value), columns = ncol(value), row = given("row", 0),
				column = given("column", 0), heads = heads, labels = I(substr(rownames(value)[shown], 1L, 200L)),
				cells = lapply(seq_along(shown), function(i) I(vapply(texts, `[`, "", i))))
			if (!is.null(request$find)) {
				from <- span(given("from", 0), 100000, nrow(value))
				has <- function(column) grepl(tolower(request$find), tolower(as.character(column[places[from]])), fixed = TRUE)
				hit <- if (length(from)) from[Reduce(`|`, lapply(value, has))] else integer()
				if (length(hit)) answer$hit <- hit[1L] - 1 else answer$looked <- max(from, given("from", 0))
			}
			answer
		},
		reset = function(request) {
			rm(list = ls(user, all.names = TRUE), envir = user)
			list(dropped = TRUE)[0L]
		})

	answer <- function(request) {
		error <- NULL
		data <- tryCatch(allowInterrupts(answers[[request$op]](request)), error = identity, interrupt = identity)
		reply <- if (inherits(data, "condition")) list(error = paste("the kernel could not answer:", class(data)[1L]))
			else list(data = data)
		put(c(list(ev = "reply", id = request$id), reply))
	}

	# ---- the loop -----------------------------------------------------------------------

	serve <- function() {
		put(list(ev = "ready", version = paste(R.version$major, R.version$minor, sep = ".")))
		while (length(line <- real$readLines(requests, 1L, encoding = "UTF-8"))) {
			clear_interrupt()
			if (grepl("\030$", line, useBytes = TRUE)) next # its client has died before it was whole
			request <- parse_request(line)
			switch(request$op, run = run(request), leave = real$quit("no", 0L), answer(request))
		}
		real$quit("no", 0L, FALSE)
	}

	suspendInterrupts(serve())
})
