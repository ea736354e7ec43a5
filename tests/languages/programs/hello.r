main <- function() {
  args <- commandArgs(TRUE)
  line <- readLines(file("stdin"), n = 1)
  cat("hello", if (length(args)) args[1] else "-", line, "\n", sep = " ")
  quit(status = 3)
}

if (sys.nframe() == 0L) main()
