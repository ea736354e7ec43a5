/* SPDX-License-Identifier: MIT */
/* for lang, code in examples:
 *     with SandboxSession(lang=lang) as session:
 *         print(session.run(code).stdout) */
#include <stdio.h>

#include <terrarium/terrarium.h>

static const struct {
	const char *language, *code;
} EXAMPLES[] = {
		{"python", "print('Hello from Python')"},
		{"javascript", "console.log('Hello from JavaScript')"},
		{"java", "public class Main {\n\tpublic static void main(String[] args) {\n"
			 "\t\tSystem.out.println(\"Hello from Java\");\n\t}\n}"},
		{"c++", "#include <iostream>\nint main() { std::cout << \"Hello from C++\" << std::endl; }"},
		{"go", "package main\nimport \"fmt\"\nfunc main() { fmt.Println(\"Hello from Go\") }"},
		{"ruby", "puts 'Hello from Ruby'"},
		{"r", "cat('Hello from R\\n')"},
};

int main(void)
{
	int failures = 0;
	for (size_t i = 0; i < sizeof EXAMPLES / sizeof *EXAMPLES; i++) {
		const struct trm_lang *lang;
		struct trm_execution result;
		struct trm_error why;
		if (trm_lang_find(EXAMPLES[i].language, &lang, &why) == 0 && !trm_lang_is_here(lang)) {
			printf("%s is not installed: apt install %s\n", lang->name, lang->package);
			continue;
		}
		bool is_good = trm_run_once(EXAMPLES[i].language, EXAMPLES[i].code, &result, &why) == 0;
		puts(!is_good ? why.msg : result.has_error ? result.error : result.output);
		failures += !is_good || result.has_error;
		trm_execution_finish(&result);
	}
	return failures != 0;
}
