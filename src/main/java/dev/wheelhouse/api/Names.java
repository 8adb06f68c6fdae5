package dev.wheelhouse.api;

/**
 * The forms of names and label keys (upstream: {@code apimachinery/pkg/util/validation/validation.go}). Each form is
 * checked in linear time without a regular expression, which would overflow the stack on long texts.
 */
public final class Names {
    private static final int LONGEST_LABEL = 63;
    private static final int LONGEST_SUBDOMAIN = 253;

    private Names() {}

    /** Whether a text is a DNS label (RFC 1123) in lower case, of at most 63 characters. */
    public static boolean isLabel(String value) {
        return value.length() <= LONGEST_LABEL && hasLabelForm(value);
    }

    /** Whether a text is a DNS subdomain (RFC 1123) in lower case, of at most 253 characters. */
    public static boolean isSubdomain(String value) {
        return value.length() <= LONGEST_SUBDOMAIN && hasSubdomainForm(value);
    }

    /** Whether a text is the key of a label: a name of at most 63 characters, with or without a domain before it. */
    public static boolean isLabelKey(String value) {
        int slash = value.indexOf('/');
        String name = value.substring(slash + 1);
        return (slash < 0 || isSubdomain(value.substring(0, slash))) && name.length() <= LONGEST_LABEL
                && hasKeyForm(name);
    }

    /** As {@link #isLabel}, for texts of any length. */
    public static boolean hasLabelForm(String value) {
        return isLabel(value, 0, value.length());
    }

    /** As {@link #isSubdomain}, for texts of any length. */
    public static boolean hasSubdomainForm(String value) {
        int from = 0;
        for (int dot = value.indexOf('.'); dot >= 0; dot = value.indexOf('.', from)) {
            if (!isLabel(value, from, dot)) {
                return false;
            }
            from = dot + 1;
        }
        return isLabel(value, from, value.length());
    }

    private static boolean isLabel(String value, int from, int to) {
        for (int i = from; i < to; i++) {
            char c = value.charAt(i);
            boolean alphanumeric = c >= 'a' && c <= 'z' || c >= '0' && c <= '9';
            if (!alphanumeric && (c != '-' || i == from || i == to - 1)) {
                return false;
            }
        }
        return to > from;
    }

    /** Whether a text of any length has the form of a label's key without a domain, such as {@code My_name.1}. */
    public static boolean hasKeyForm(String value) {
        int last = value.length() - 1;
        for (int i = 0; i <= last; i++) {
            char c = value.charAt(i);
            boolean alphanumeric = c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z';
            if (!alphanumeric && (i == 0 || i == last || c != '-' && c != '_' && c != '.')) {
                return false;
            }
        }
        return last >= 0;
    }
}
