/* SPDX-License-Identifier: MIT */
#include "wire/engine_words.h"

#include <string.h>

#include <terrarium/error.h>

/* The first sign found in the text decides. */
static const struct {
	const char *sign;
	int code;
} SIGNS[] = {
		{"Cannot connect to the Docker daemon", TRM_EMISSING},
		{"Is the docker daemon running", TRM_EMISSING},
		{"unable to connect to Podman", TRM_EMISSING},
		{"permission denied while trying to connect", TRM_EPERM},
		{"invalid runtime name", TRM_ENOTSUP},
		{"nknown runtime specified", TRM_ENOTSUP},
		{"default OCI runtime", TRM_ENOTSUP},
		{"requested OCI runtime", TRM_ENOTSUP},
		{"unknown flag", TRM_EINVAL},
		{"unknown shorthand flag", TRM_EINVAL},
		{"invalid reference format", TRM_EINVAL},
		{"No such container", TRM_ENOENT},
		{"no such container", TRM_ENOENT},
		{"no container with name or ID", TRM_ENOENT},
		{"No such image", TRM_ENOIMAGE},
		{"image not known", TRM_ENOIMAGE},
		{"manifest unknown", TRM_ENOIMAGE},
		{"name unknown", TRM_ENOIMAGE},
		{"pull access denied", TRM_ENOIMAGE},
		{"repository does not exist", TRM_ENOIMAGE},
		{"requested access to the resource is denied", TRM_ENOIMAGE},
};

int engine_words_code(const char *words, int otherwise)
{
	for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS; i++)
		if (strstr(words, SIGNS[i].sign))
			return SIGNS[i].code;
	return otherwise;
}
