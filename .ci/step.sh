# For `source`: step NAME COMMAND... runs a command, and says before and after it where the time goes.
step() {
	printf '\n== %s (%ss)\n' "$1" "$SECONDS"
	local began=$SECONDS
	"${@:2}"
	printf -- '-- %s took %ss\n' "$1" $((SECONDS - began))
}
