/* SPDX-License-Identifier: MIT */
#include "embed/embed.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* The assembler copies each file into read-only data between two labels.
 * OBJECT_DEPENDS in CMakeLists.txt makes this file follow changes of them. */
#define EMBED(name, file) \
	__asm__(".section embedded,\"a\"\n.balign 16\n.globl embed_" #name "_start\n.hidden embed_" #name \
		"_start\nembed_" #name "_start:\n.incbin \"" file "\"\n.globl embed_" #name \
		"_end\n.hidden embed_" #name "_end\nembed_" #name "_end:\n.byte 0\n.previous\n"); \
	extern const char embed_##name##_start[], embed_##name##_end[]; \
	struct embed embed_##name(void) \
	{ \
		return (struct embed){embed_##name##_start, \
				(uintptr_t)embed_##name##_end - (uintptr_t)embed_##name##_start}; \
	}

#define DRIVER(file) EMBED_SOURCE_DIR "/lib/kernel/" file
#define AND "\"\n.incbin \"" /* between files that follow one another */

EMBED(agent, EMBED_BUILD_DIR "/terrarium-agent")
EMBED(supervisor, EMBED_BUILD_DIR "/terrarium-supervisor")
EMBED(driver_python, EMBED_BUILD_DIR "/python.driver")
EMBED(driver_node, DRIVER("node.js") AND DRIVER("node_stop.js") AND DRIVER("node_streams.js")
				   AND DRIVER("node_syntax.js") AND DRIVER("node_display.js")
						   AND DRIVER("node_program.js") AND DRIVER("node_table.js")
								   AND DRIVER("node_ask.js"))
EMBED(driver_bash, DRIVER("bash_again.sh") AND DRIVER("bash_ask.sh") AND DRIVER("bash_display.sh")
				   AND DRIVER("bash_program.sh") AND DRIVER("bash.sh"))
EMBED(driver_ruby, DRIVER("ruby.rb"))
EMBED(driver_r, DRIVER("r.R"))
EMBED(driver_java, DRIVER("java.java"))
EMBED(driver_native, DRIVER("native.inc"))
EMBED(driver_carry, DRIVER("carry.go"))
EMBED(driver_typescript,
		DRIVER("node.js") AND DRIVER("node_stop.js") AND DRIVER("node_streams.js") AND DRIVER(
				"node_syntax.js") AND DRIVER("node_display.js") AND DRIVER("node_program.js")
				AND DRIVER("typescript.js") AND DRIVER("node_table.js")
						AND DRIVER("node_ask.js"))
EMBED(installer_python, EMBED_SOURCE_DIR "/lib/install/pip.py")
EMBED(installer_node, EMBED_SOURCE_DIR "/lib/install/npm.js")
EMBED(policies, EMBED_SOURCE_DIR "/lib/policy/presets.json")
EMBED(recipes, EMBED_SOURCE_DIR "/lib/recipe/recipes.json")
EMBED(languages, DRIVER("languages.json"))

/* The linker's names for the section's bounds. */
extern const char __start_embedded[] __attribute__((visibility("hidden")));
extern const char __stop_embedded[] __attribute__((visibility("hidden")));

void embed_forget(void)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = ((uintptr_t)__start_embedded + page - 1) / page * page;
	uintptr_t to = (uintptr_t)__stop_embedded / page * page;
	if (from < to)
		(void)madvise((void *)from, to - from, MADV_DONTNEED);
}
