// SPDX-License-Identifier: MIT

//go:build tools

// The controller is built from its module as it is; this file keeps it in go.mod.
package tools

import _ "sigs.k8s.io/agent-sandbox/cmd/agent-sandbox-controller"
