package dev.wheelhouse.cel;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import static dev.wheelhouse.cel.KubernetesLibrary.BOOL;
import static dev.wheelhouse.cel.KubernetesLibrary.INT;
import static dev.wheelhouse.cel.KubernetesLibrary.STRING;

import dev.cel.runtime.CelEvaluationException;

/** Functions on semantic versions such as {@code 1.2.3-rc.1} (upstream: {@code library/semverlib.go}). */
final class VersionFunctions {
    private static final KubernetesLibrary.Type<Version> VERSION = KubernetesLibrary.Type.opaque("kubernetes.Semver",
            Version.class);
    private static final int MOST_CHARACTERS = 1_000;
    private static final String NUMBER = "(0|[1-9][0-9]{0,18})";
    private static final String PART = "[0-9A-Za-z-]+";
    private static final Pattern FORM = Pattern.compile(NUMBER + "\\." + NUMBER + "\\." + NUMBER + "(?:-(" + PART
            + "(?:\\." + PART + ")*))?(?:\\+" + PART + "(?:\\." + PART + ")*)?");
    private static final Pattern DIGITS = Pattern.compile("[0-9]+");

    private VersionFunctions() {}

    /** A version; builds do not count. */
    private record Version(long major, long minor, long patch, List<String> prerelease) {
        int compareTo(Version other) {
            int order = Long.compare(major, other.major);
            order = order == 0 ? Long.compare(minor, other.minor) : order;
            order = order == 0 ? Long.compare(patch, other.patch) : order;
            if (order != 0 || prerelease.isEmpty() || other.prerelease.isEmpty()) {
                return order == 0 ? Boolean.compare(prerelease.isEmpty(), other.prerelease.isEmpty()) : order;
            }
            for (int i = 0; i < Math.min(prerelease.size(), other.prerelease.size()); i++) {
                order = compare(prerelease.get(i), other.prerelease.get(i));
                if (order != 0) {
                    return order;
                }
            }
            return Integer.compare(prerelease.size(), other.prerelease.size());
        }

        private static int compare(String one, String other) {
            boolean number = DIGITS.matcher(one).matches();
            boolean otherNumber = DIGITS.matcher(other).matches();
            return number && otherNumber
                    ? new BigInteger(one).compareTo(new BigInteger(other))
                    : number != otherNumber
                            ? Boolean.compare(otherNumber, number)
                            : Integer.signum(
                                    one.compareTo(other));
        }
    }

    static void addTo(KubernetesLibrary library) {
        library.global("semver", "string_to_semver", VERSION, STRING, text -> version(text, false));
        library.global("semver", "string_bool_to_semver", VERSION, STRING, BOOL, VersionFunctions::version);
        library.global("isSemver", "is_semver_string", BOOL, STRING, text -> parse(text, false) != null);
        library.global("isSemver", "is_semver_string_bool", BOOL, STRING, BOOL,
                (text, tolerant) -> parse(text, tolerant) != null);
        library.member("isGreaterThan", "semver_is_greater_than", BOOL, VERSION, VERSION,
                (one, other) -> one.compareTo(other) > 0);
        library.member("isLessThan", "semver_is_less_than", BOOL, VERSION, VERSION,
                (one, other) -> one.compareTo(other) < 0);
        library.member("compareTo", "semver_compare_to", INT, VERSION, VERSION,
                (one, other) -> (long) Integer.signum(one.compareTo(other)));
        library.member("major", "semver_major", INT, VERSION, Version::major);
        library.member("minor", "semver_minor", INT, VERSION, Version::minor);
        library.member("patch", "semver_patch", INT, VERSION, Version::patch);
    }

    private static Version version(String text, boolean tolerant) throws CelEvaluationException {
        Version version = parse(text, tolerant);
        if (version == null) {
            throw new CelEvaluationException(text.isEmpty()
                    ? "Version string empty"
                    : text.split("\\.", 3).length < 3 && !tolerant
                            ? "No Major.Minor.Patch elements found"
                            : "Invalid character(s) found in version \"" + text + "\"");
        }
        return version;
    }

    /** @param tolerant whether a {@code v} before it, zeros before numbers and missing numbers are accepted */
    private static @Nullable Version parse(String text, boolean tolerant) {
        String whole = tolerant && text.length() <= MOST_CHARACTERS ? normalized(text) : text;
        Matcher matcher = FORM.matcher(whole.length() > MOST_CHARACTERS ? "" : whole);
        if (!matcher.matches()) {
            return null;
        }
        String pre = matcher.group(4);
        List<String> prerelease = pre == null ? List.of() : List.of(pre.split("\\."));
        if (prerelease.stream().anyMatch(part -> part.length() > 1 && part.startsWith("0")
                && DIGITS.matcher(part).matches())) {
            return null;
        }
        try {
            return new Version(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)),
                    Long.parseLong(matcher.group(3)), prerelease);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static String normalized(String text) {
        List<String> parts = new ArrayList<>();
        for (String part : (text.startsWith("v") ? text.substring(1) : text).split("\\.", 3)) {
            String bare = part.replaceFirst("^0+", "");
            parts.add(part.length() < 2 || !bare.isEmpty() && Character.isDigit(bare.charAt(0))
                    ? part.length() < 2
                            ? part
                            : bare
                    : "0" + bare);
        }
        String last = parts.getLast();
        if (parts.size() < 3 && (last.contains("+") || last.contains("-"))) {
            return "";
        }
        while (parts.size() < 3) {
            parts.add("0");
        }
        return String.join(".", parts);
    }
}
