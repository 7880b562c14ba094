# Functions of the scripts in this folder, which source this file. It does nothing on its own.
# shellcheck shell=bash
set -euo pipefail

here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=bench/$(basename "$0")

fail() {
    printf '%s: %s\n' "$name" "$1" >&2
    exit 1
}

need_value() { # Arguments: an option and what follows it on the command line.
    [ $# -ge 2 ] || fail "$1 needs a value; see --help"
}

check_words() { # Arguments: option, its words, the allowed words. Finds a typing error before the run starts.
    local word
    for word in ${2//,/ }; do
        case " $3 " in
            *" $word "*) ;;
            *) fail "$1 = $word, allowed: $3" ;;
        esac
    done
}

check_number() { # Arguments: option, its value, the pattern of allowed values, how to tell it.
    [[ $2 =~ ^$3$ ]] || fail "$1 = $2, allowed: $4"
}

# Sets java, builds unless the argument is "no", and sets class_path.
prepare() {
    java=java
    [ -z "${JAVA_HOME:-}" ] || java=$JAVA_HOME/bin/java
    command -v "$java" >/dev/null 2>&1 ||
        fail 'needs Java 17 or later; there is none on the PATH and JAVA_HOME is not set'
    if [ "$1" != no ]; then
        command -v mvn >/dev/null 2>&1 || fail 'building needs Maven 3.8.7 or later (mvn), which is not on the PATH'
        echo "$name: building ..."
        mvn --quiet --batch-mode --no-transfer-progress -f "$here/../pom.xml" -Dquick -pl bench -am package
    fi
    local built=$here/target/quick
    [ -d "$built/classes" ] && [ -d "$built/lib" ] || fail "nothing is built in $built; run without --no-build"
    class_path="$built/classes:$built/lib/*"
}

# Sets values, table and notes, and creates an empty file for the values. Argument: what follows the time in the names.
begin_results() {
    mkdir -p "$here/results"
    local stamp
    stamp=$here/results/$(date -u +%Y%m%d-%H%M%S)$1
    values=$stamp.tsv
    table=$stamp.md
    : >"$values"
    notes=(--note "load of the machine at the start: $(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null || echo unknown)")
}

note() {
    notes+=(--note "$1")
}

# Options for Java that some parts need.
java_options=()

# Runs one part in a JVM of its own. Arguments: java command, heap, part, its arguments. Notes a failure and returns 1.
bench() {
    local command=$1 heap=$2
    shift 2
    "$command" "-Xmx$heap" ${java_options[@]+"${java_options[@]}"} -cp "$class_path" dev.reservoir.bench.Bench "$@" --out "$values" && return
    echo "$name: failed: $*" >&2
    note "failed: $*"
    return 1
}

# Writes the table of all values and prints it.
end_results() {
    [ -s "$values" ] || fail 'nothing was measured'
    echo
    "$java" -cp "$class_path" dev.reservoir.bench.Bench report --in "$values" --out "$table" "${notes[@]}"
    echo
    echo "$name: the table is in $table, the values in $values"
}
