package backend

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// driver returns the version of NVIDIA's driver; empty if there is none.
func driver() string {
	content, err := os.ReadFile("/proc/driver/nvidia/version")
	if version := regexp.MustCompile(`\d+\.\d+(\.\d+)?`).Find(content); err == nil && version != nil {
		return string(version)
	}
	if versions := askDriver("driver_version"); len(versions) > 0 { // some containers lack the file
		return versions[0]
	}
	return ""
}

// GPUs describes each NVIDIA GPU that the driver sees.
func GPUs() []string { return askDriver("name,memory.total") }

// askDriver asks nvidia-smi for facts, one line for each GPU; nil if it does not answer.
func askDriver(facts string) []string {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	output, err := exec.CommandContext(ctx, "nvidia-smi", "--query-gpu="+facts, "--format=csv,noheader").Output()
	if text := strings.TrimSpace(string(output)); err == nil && text != "" {
		return strings.Split(text, "\n")
	}
	return nil
}
