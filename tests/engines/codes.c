/* SPDX-License-Identifier: MIT */
/* codes ENGINE: which code says why a sandbox does not come up, as terrarium/sandbox.h promises. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/terrarium.h>

static struct trm_error reason;
static bool is_over;

static void on_ready(void *user, struct trm_sandbox *sandbox)
{
	(void)user;
	trm_sandbox_stop(sandbox);
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	(void)user, (void)sandbox;
	reason = *why;
	is_over = true;
}

static int code_of(const char *backend, const struct trm_container_opts *container)
{
	static const struct trm_sandbox_cb cb = {.ready = on_ready, .closed = on_closed};
	struct trm_sandbox_opts opts;
	struct trm_sandbox *sandbox;
	struct trm_loop *loop;
	trm_sandbox_opts_default(&opts);
	opts.backend = backend;
	opts.container = *container;
	is_over = false;
	reason = (struct trm_error){0};
	if (trm_loop_create(&loop, &reason) < 0)
		return reason.code;
	if (trm_sandbox_open(loop, &opts, &cb, NULL, &sandbox, &reason) == 0)
		while (!is_over)
			trm_loop_step(loop, -1);
	trm_loop_destroy(loop);
	return reason.code;
}

static int expect(int wanted, int code, const char *what)
{
	if (code == wanted)
		return 0;
	printf("WRONG: %s: %s instead of %s: %s\n", what, trm_strerror(code), trm_strerror(wanted),
			reason.msg);
	return 1;
}

int main(int argc, char **argv)
{
	const char *engine = argc > 1 ? argv[1] : "docker", *path = getenv("PATH"),
		   *host = getenv("DOCKER_HOST");
	const struct trm_container_opts good = {.image = "localhost/tt:deb"},
					no_image = {.image = "localhost/tt:none"},
					no_container = {.container = "no-such-container"},
					no_runtime = {.image = "localhost/tt:deb", .runtime = "nosuch"},
					bad_name = {.image = "localhost/tt:deb",
							.commit_tag = "UPPER/Case:1"},
					bad_option = {.image = "localhost/tt:deb",
							.engine_args =
									(const char *const[]){
											"--nosuch-option"},
							.n_engine_args = 1},
					foreign = {.image = "localhost/tt:foreign"};
	int code = code_of(engine, &no_image), n_wrong = 0;
	n_wrong += expect(TRM_OK, code_of(engine, &good), "an image that is there");
	/* Whether there is none, or no way to it, is the registry's to tell. */
	n_wrong += code == TRM_ENOIMAGE ? 0 : expect(TRM_EPULL, code, "no such image");
	n_wrong += expect(TRM_ENOENT, code_of(engine, &no_container), "no such container");
	n_wrong += expect(TRM_ENOTSUP, code_of(engine, &no_runtime), "no such runtime");
	n_wrong += expect(TRM_ENOTSUP, code_of(engine, &foreign), "another architecture");
	n_wrong += expect(TRM_EINVAL, code_of(engine, &bad_name), "a bad name");
	n_wrong += expect(TRM_EINVAL, code_of(engine, &bad_option), "a bad option");
	n_wrong += expect(TRM_EINVAL, code_of("nosuch", &good), "no such backend");
	if (host) {
		setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock", 1);
		n_wrong += strcmp(engine, "docker")
					   ? 0
					   : expect(TRM_EMISSING, code_of(engine, &good), "no daemon");
		setenv("DOCKER_HOST", host, 1);
	}
	setenv("PATH", "/nonexistent", 1);
	n_wrong += expect(TRM_EMISSING, code_of(engine, &good), "no program");
	setenv("PATH", path ? path : "", 1);
	puts(n_wrong ? "some are wrong" : "all as promised");
	return n_wrong != 0;
}
