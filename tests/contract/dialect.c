/* SPDX-License-Identifier: MIT */
#include "contract/dialect.h"

#include <stddef.h>
#include <string.h>

#include <terrarium/sandbox.h>

#define WAIT_UNTIL_CALLED "until [ -e called ]; do sleep 0.02; done; "

static const struct dialect DIALECTS[] = {
		{
				.backend = "fake",
				.lang = "python",
				.print_hello = "print hello",
				.print_both = "print out\nerr err",
				.set_x = "set x 42",
				.get_x = "get x",
				.value = "value 42",
				.fail = "fail ValueError bad",
				.fail_name = "ValueError",
				.exit_3 = "exit 3",
				.loop = "print on\nloop",
				.stubborn = "print on\nstubborn",
				.suicide = "die 9",
				.read_line = "ask ",
				.flood = "flood 20000",
				.late = "late 100 late",
				.call_late = "sleep 200",
				.slow = "print on\nsleep 500\nprint slow",
				.asks = true,
		},
		{
				.backend = "local",
				.lang = "python",
				.print_hello = "print('hello')",
				.print_both = "import sys\nprint('out')\nprint('err', file=sys.stderr)",
				.set_x = "x = 42",
				.get_x = "print(x)",
				.value = "40 + 2",
				.fail = "raise ValueError('bad')",
				.fail_name = "ValueError",
				.exit_3 = "import sys\nsys.exit(3)",
				.loop = "print('on', flush=True)\nwhile True: pass",
				.stubborn = "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, "
					    "[signal.SIGINT])\n"
					    "print('on', flush=True)\nwhile True: pass",
				.suicide = "import os\nos.kill(os.getpid(), 9)",
				.read_line = "print('got', input())",
				.flood = "for i in range(20000): print('%099d' % i)",
				.late = "import subprocess\n"
					"p = subprocess.Popen(['sh', '-c', '" WAIT_UNTIL_CALLED
					"echo late'])",
				.call_late = "import time\nopen('called', 'w').close()\ntime.sleep(0.2)",
				.slow = "import time\nprint('on', flush=True)\ntime.sleep(0.5)\nprint('slow')",
				.asks = true,
		},
		{
				.backend = "local",
				.lang = "javascript",
				.print_hello = "console.log('hello')",
				.print_both = "console.log('out'); console.error('err')",
				.set_x = "var x = 42",
				.get_x = "console.log(x)",
				.value = "40 + 2",
				.fail = "throw new RangeError('bad')",
				.fail_name = "RangeError",
				.exit_3 = "process.exit(3)",
				.loop = "console.log('on'); while (true);",
				.suicide = "process.kill(process.pid, 'SIGKILL'); while (true);",
				.read_line = "console.log('got', require('fs').readFileSync(0, 'utf8').split('\\n')[0])",
				.flood = "for (let i = 0; i < 20000; i++) console.log(String(i).padStart(99, "
					 "'0'))",
				.late = "require('child_process').spawn('sh', ['-c', '" WAIT_UNTIL_CALLED
					"echo late'], {stdio: 'inherit'}); 0",
				.call_late = "require('fs').writeFileSync('called', ''); "
					     "await new Promise(r => setTimeout(r, 200))",
				.slow = "console.log('on'); await new Promise(r => setTimeout(r, 500)); "
					"console.log('slow')",
		},
		{
				.backend = "local",
				.lang = "bash",
				.print_hello = "echo hello",
				.print_both = "echo out; echo err >&2",
				.set_x = "x=42",
				.get_x = "echo $x",
				.fail = "false",
				.exit_3 = "exit 3",
				.loop = "echo on; while :; do :; done",
				.suicide = "kill -KILL $$",
				.read_line = "read -r line; echo \"got $line\"",
				.flood = "for ((i = 0; i < 20000; i++)); do printf '%099d\\n' $i; done",
				.late = "(" WAIT_UNTIL_CALLED "echo late) &",
				.call_late = ">called; sleep 0.2",
				.slow = "echo on; sleep 0.5; echo slow",
		},
		{
				.backend = "microsandbox",
				.lang = "python",
				.print_hello = "print('hello')",
				.print_both = "import sys\nprint('out')\nprint('err', file=sys.stderr)",
				.set_x = "x = 42",
				.get_x = "print(x)",
				.fail = "raise ValueError('bad')",
				.fail_name = "ValueError",
				.flood = "for i in range(20000): print('%099d' % i)",
				.is_plain = true,
		},
		{
				.backend = "microsandbox",
				.lang = "javascript",
				.print_hello = "console.log('hello')",
				.print_both = "console.log('out'); console.error('err')",
				.set_x = "var x = 42",
				.get_x = "console.log(x)",
				.fail = "throw new RangeError('bad')",
				.fail_name = "RangeError",
				.flood = "for (let i = 0; i < 20000; i++) console.log(String(i).padStart(99, "
					 "'0'))",
				.is_plain = true,
		},
		{
				.backend = "microsandbox",
				.lang = "bash",
				.print_hello = "echo hello",
				.print_both = "echo out; echo err >&2",
				.fail = "false",
				.exit_3 = "exit 3",
				.flood = "for ((i = 0; i < 20000; i++)); do printf '%099d\\n' $i; done",
				.is_plain = true,
		},
		{0},
};

const struct dialect *dialect_find(const char *backend, const char *lang)
{
	const struct dialect *d = DIALECTS;
	static const char *const alike[] = {
			"docker", "podman", "kubernetes", "agent-sandbox", "namespaces", "landlock", "none"};
	const char *as = backend;
	for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
		as = strcmp(backend, alike[i]) ? as : "local";
	while (d->backend && (strcmp(d->backend, as) || strcmp(d->lang, lang)))
		d++;
	return d->backend ? d : NULL;
}

void dialect_origin(struct trm_sandbox_opts *opts, const char *backend, const char *origin)
{
	if (!strcmp(backend, "agent-sandbox"))
		opts->container.kube.warm_pool = origin;
	else
		opts->container.image = origin;
}
