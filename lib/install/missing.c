/* SPDX-License-Identifier: MIT */
/* What is missing, as can be told from outside: a module that a run did not find, a package that a command
 * was to install. All of it is hostile text, and only names of packages leave here. */
#include <stdio.h>
#include <string.h>

#include <terrarium/install.h>
#include <terrarium/lang.h>
#include <terrarium/result.h>

#include "install/install.h"

/* Modules of Python whose packages are called otherwise. */
static const struct {
	const char *module, *package;
} known[] = {
		{"Crypto", "pycryptodome"},
		{"OpenSSL", "pyopenssl"},
		{"PIL", "pillow"},
		{"bs4", "beautifulsoup4"},
		{"cv2", "opencv-python-headless"},
		{"dateutil", "python-dateutil"},
		{"docx", "python-docx"},
		{"dotenv", "python-dotenv"},
		{"fitz", "pymupdf"},
		{"jwt", "pyjwt"},
		{"mpl_toolkits", "matplotlib"},
		{"pptx", "python-pptx"},
		{"serial", "pyserial"},
		{"skimage", "scikit-image"},
		{"sklearn", "scikit-learn"},
		{"usb", "pyusb"},
		{"yaml", "pyyaml"},
};

/* Packages that everybody knows, by the names of their modules. A stranger may have published any other name
 * that somebody mistypes, so only these are advised without a word of caution. */
static const struct {
	const char *manager, *packages; /* with a blank on both sides of each */
} well_known[] = {
		{"pip", " aiohttp altair attrs bokeh boto3 bottle celery click colorama cryptography cython dash "
			"django duckdb fastapi fiona flask gensim geopandas gunicorn h5py httpx huggingface-hub "
			"ipython jax jinja2 joblib jsonschema keras lightgbm lxml markdown matplotlib mpmath mypy "
			"networkx nltk numba numexpr numpy openai openpyxl pandas paramiko peewee plotly polars "
			"prettytable psutil psycopg2 pyarrow pydantic pygments pymongo pymysql pypdf pyspark "
			"pytest pytz redis regex requests rich scipy scrapy seaborn selenium shapely simplejson "
			"six spacy sqlalchemy starlette statsmodels streamlit sympy tabulate tensorflow termcolor "
			"toolz torch torchvision tornado tqdm transformers typer ujson uvicorn websockets werkzeug "
			"wordcloud xarray xgboost xlrd xlsxwriter zstandard "},
		{"npm", " @babel/core axios bluebird body-parser chalk cheerio chokidar commander cors "
			"cross-env d3 dayjs debug dotenv eslint express fs-extra glob immer inquirer jest jsdom "
			"jsonwebtoken lodash mathjs minimist mocha moment mongoose ms mysql2 nanoid node-fetch pg "
			"prettier puppeteer ramda react react-dom redis redux rxjs semver sharp socket.io "
			"typescript underscore uuid vue webpack winston ws yargs zod "},
		{"gem", " activesupport bundler concurrent-ruby faraday httparty json mechanize minitest nokogiri pg "
			"puma rack rails rake redis rspec rubocop sequel sinatra sqlite3 thor "},
		{"CRAN", " caret data.table devtools dplyr forcats ggplot2 glue jsonlite knitr lme4 lubridate "
			 "magrittr plyr purrr randomForest readr readxl reshape2 rlang rmarkdown shiny stringi "
			 "stringr testthat tibble tidyr tidyverse xts zoo "},
};

/* How languages say that a module is missing. The name follows, perhaps in quotes. */
static const struct {
	const char *manager, *error; /* error NULL: any name */
	const char *before, *inner;  /* a character of `inner` ends the package's part of the name */
} sayings[] = {
		{"pip", "ModuleNotFoundError", "No module named ", "."},
		{"npm", NULL, "Cannot find module ", "/"},
		{"npm", NULL, "Cannot find package ", "/"},
		{"gem", "LoadError", "cannot load such file -- ", "/"},
		{"CRAN", NULL, "there is no package called ", ""},
};

/* Copy the name at the start of `at`. */
static bool copy_name(const char *at, char *out, size_t cap)
{
	static const char *const quotes[][2] = {{"'", "'"}, {"\"", "\""}, {"‘", "’"}};
	const char *end = at + strcspn(at, " \n");
	for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
		size_t n = strlen(quotes[i][0]);
		if (strncmp(at, quotes[i][0], n) == 0) {
			at += n;
			end = strstr(at, quotes[i][1]);
			break;
		}
	}
	if (!end || end == at || (size_t)(end - at) >= cap)
		return false;
	memcpy(out, at, (size_t)(end - at));
	out[end - at] = '\0';
	return true;
}

/* Shorten "a.b" to "a"; "a/b" and "@s/a/b" of npm to "a" and "@s/a". */
static void cut_inner(char *name, const char *inner)
{
	char *slash = *name == '@' ? strchr(name, '/') : NULL;
	char *at = slash ? slash + 1 : name;
	at[strcspn(at, inner)] = '\0';
}

static bool find_missing(const struct trm_result *result, char *out, size_t cap)
{
	const char *manager = result->lang ? result->lang->package_manager : "",
		   *message = result->error_message;
	if (result->status != TRM_STATUS_ERROR || !result->error_name || !message)
		return false;
	for (size_t i = 0; i < sizeof sayings / sizeof *sayings; i++) {
		const char *at = strstr(message, sayings[i].before);
		bool is_meant = at && strcmp(manager, sayings[i].manager) == 0
				&& (!sayings[i].error || strcmp(result->error_name, sayings[i].error) == 0);
		if (!is_meant)
			continue;
		if (!copy_name(at + strlen(sayings[i].before), out, cap) || strchr("./", *out))
			return false;
		cut_inner(out, sayings[i].inner);
		return true;
	}
	return false;
}

bool trm_missing_package(const struct trm_result *result, char *package, size_t cap)
{
	char name[128];
	if (!find_missing(result, name, sizeof name))
		return false;
	bool is_python = strcmp(result->lang->package_manager, "pip") == 0;
	const char *found = name;
	for (size_t i = 0; i < sizeof known / sizeof *known && is_python; i++)
		if (!strcmp(known[i].module, name))
			found = known[i].package;
	if (trm_package_check(result->lang, found, NULL) < 0)
		return false;
	snprintf(package, cap, "%s", found);
	return strlen(found) < cap;
}

bool trm_package_is_known(const struct trm_lang *lang, const char *package)
{
	char word[64];
	size_t n = strcspn(package, "<>=!~[ ");
	bool is_known = false;
	if ((size_t)snprintf(word, sizeof word, " %.*s ", (int)n, package) >= sizeof word)
		return false;
	for (size_t i = 0; i < sizeof well_known / sizeof *well_known; i++)
		is_known |= !strcmp(lang->package_manager, well_known[i].manager)
			    && strstr(well_known[i].packages, word);
	word[n + 1] = '\0';
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		is_known |= !strcmp(lang->package_manager, "pip") && !strcmp(known[i].package, word + 1);
	return is_known;
}

/* ---- commands ------------------------------------------------------------------------------ */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool is_pip(const char *word)
{
	return !strncmp(word, "pip", 3) && strspn(word + 3, "0123456789.") == strlen(word + 3);
}

static bool is_python(const char *word)
{
	const char *name = trm_lang_default()->name;
	size_t n = strlen(name);
	return !strncmp(word, name, n) && strspn(word + n, "0123456789.") == strlen(word + n);
}

/* How many words in front of "install" name the program; 0: it is another command. */
static size_t count_tool_words(const char *const *argv, const char **ret_tool)
{
	const char *program = argv[0] ? base_name(argv[0]) : "";
	*ret_tool = "pip";
	if (is_pip(program))
		return 1;
	if (is_python(program) && argv[1] && !strcmp(argv[1], "-m") && argv[2] && is_pip(argv[2]))
		return 3;
	*ret_tool = "npm";
	return !strcmp(program, "npm") ? 1 : 0;
}

const struct trm_lang *trm_package_command(const char *const *argv, char *packages, size_t cap)
{
	const char *tool;
	size_t n = count_tool_words(argv, &tool), len = 0;
	bool is_install = n && argv[n]
			  && (!strcmp(argv[n], "install")
					  || (!strcmp(tool, "npm")
							  && (!strcmp(argv[n], "i")
									  || !strcmp(argv[n], "add"))));
	const struct trm_lang *lang = NULL;
	for (unsigned i = 0; i < trm_lang_count() && is_install && !lang; i++)
		if (!strcmp(trm_lang_at(i)->package_manager, tool))
			lang = trm_lang_at(i);
	*packages = '\0';
	for (const char *const *word = argv + n + 1; lang && *word && len < cap; word++)
		if (trm_package_check(lang, *word, NULL) == 0)
			len += (size_t)snprintf(packages + len, cap - len, "%s%s", len ? " " : "", *word);
	return len < cap ? lang : NULL;
}

const struct trm_lang *trm_package_command_line(const char *line, char *packages, size_t cap)
{
	char words[512];
	const char *argv[33] = {NULL};
	size_t n = 0;
	line += strspn(line, " \t");
	line += *line == '!' || *line == '%';
	snprintf(words, sizeof words, "%.*s", (int)strcspn(line, "\r\n#;&|"), line);
	for (char *rest = words, *word; n < 32 && (word = strtok_r(rest, " \t'\"", &rest));)
		argv[n++] = word;
	return trm_package_command(argv, packages, cap);
}

/* ---- what package managers say -------------------------------------------------------------- */

enum { NAME_MAX_BYTES = 120 };

/* Words of package managers that name what they have not found. */
static const struct {
	const char *manager, *said, *before, *end;
} refusals[] = {
		{"pip", "No matching distribution found for ", "No matching distribution found for ", "\r\n"},
		{"npm", "ENOTCACHED", "request to ", " \r\n"},
};

static const struct trm_lang *lang_of_manager(const char *manager)
{
	for (unsigned i = 0; i < trm_lang_count(); i++)
		if (!strcmp(trm_lang_at(i)->package_manager, manager))
			return trm_lang_at(i);
	return NULL;
}

/* The address of a package ends with its name: "https://…/left-pad", "https://…/@scope%2fname". */
static bool take_refused_name(const struct trm_lang *lang, const char *at, size_t n, char *out, size_t cap)
{
	char text[NAME_MAX_BYTES];
	if (snprintf(text, sizeof text, "%.*s", (int)n, at) >= (int)sizeof text)
		return false;
	const char *slash = !strncmp(text, "http", 4) ? strrchr(text, '/') : NULL;
	const char *name = slash ? slash + 1 : text;
	const char *escaped = strstr(name, "%2f");
	snprintf(out, cap, "%.*s%s%s", (int)(escaped ? escaped - name : (ptrdiff_t)strlen(name)), name,
			escaped ? "/" : "", escaped ? escaped + 3 : "");
	return trm_package_check(lang, out, NULL) == 0;
}

const struct trm_lang *trm_package_refused(const char *words, char *package, size_t cap)
{
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		const struct trm_lang *lang = lang_of_manager(refusals[i].manager);
		const char *at = lang && strstr(words, refusals[i].said) ? strstr(words, refusals[i].before)
									 : NULL;
		at = at ? at + strlen(refusals[i].before) : NULL;
		if (at && take_refused_name(lang, at, strcspn(at, refusals[i].end), package, cap))
			return lang;
	}
	return NULL;
}

bool trm_apt_refused(const char *words)
{
	return strstr(words, "/var/lib/apt/lists") || strstr(words, "/var/lib/dpkg/lock");
}
