package dev.wheelhouse.apiserver.validation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;

import dev.wheelhouse.api.Names;

/**
 * The formats of names and values. Each rule returns messages in upstream's words, or an empty list for a valid value
 * (upstream: {@code apimachinery/pkg/util/validation/validation.go}, {@code apimachinery/pkg/api/validate/content}).
 */
public final class Formats {
    private static final String LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
    private static final String LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
    private static final Pattern LABEL_1035_FORM = Pattern.compile(LABEL_1035);
    private static final String SUBDOMAIN = LABEL + "(\\." + LABEL + ")*";
    private static final String UNDERSCORED = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
    private static final String KEY = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
    private static final String LABEL_VALUE = "(" + KEY + ")?";
    private static final String CONFIG_KEY = "[-._a-zA-Z0-9]+";
    private static final String PERCENT = "[0-9]+%";
    private static final String HEADER = "[-A-Za-z0-9]+";

    private static final String IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*";
    private static final String REASON = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
    /** The most characters of a semantic version; longer ones are refused anyway. */
    private static final int MOST_OF_VERSION = 64;
    private static final Pattern UID = Pattern.compile("[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}");
    private static final Pattern SEMVER = Pattern.compile("(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)"
            + "(-(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(\\.(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?"
            + "(\\+[0-9a-zA-Z-]+(\\.[0-9a-zA-Z-]+)*)?");
    private static final Pattern PERCENT_FORM = Pattern.compile(PERCENT);

    private static final Map<String, Function<String, List<String>>> BY_NAME = Map.ofEntries(
            Map.entry("dnsLabel", Formats::dnsLabel), Map.entry("dns1035Label", Formats::dns1035Label),
            Map.entry("dnsSubdomain", Formats::dnsSubdomain), Map.entry("pathSegment", Formats::pathSegment),
            Map.entry("qualifiedName", Formats::qualifiedName), Map.entry("labelValue", Formats::labelValue),
            Map.entry("configKey", Formats::configKey), Map.entry("environmentName", Formats::environmentName),
            Map.entry("underscoredSubdomain", Formats::underscoredSubdomain),
            Map.entry("headerName", Formats::headerName), Map.entry("portName", Formats::portName),
            Map.entry("ip", Formats::ip), Map.entry("endpointIp", Formats::endpointIp),
            Map.entry("cidr", Formats::cidr), Map.entry("canonicalIp", IpFormats::canonicalAddress),
            Map.entry("canonicalCidr", IpFormats::canonicalRange),
            Map.entry("interfaceAddress", IpFormats::interfaceAddress), Map.entry("identifier", Formats::identifier),
            Map.entry("conditionReason", Formats::conditionReason), Map.entry("semver", Formats::semver),
            Map.entry("fullyQualified", Formats::fullyQualified), Map.entry("uid", Formats::uid),
            Map.entry("version", v -> semver(v).isEmpty() ? List.of() : List.of("must be a valid semantic version")),
            Map.entry("extendedResource", Formats::extendedResource),
            Map.entry("driverName", v -> dnsSubdomain(v.toLowerCase(Locale.ROOT))),
            Map.entry("provisioner", v -> qualifiedName(v.toLowerCase(Locale.ROOT))),
            Map.entry("mixedCaseLabel", v -> dns1035Label(v.toLowerCase(Locale.ROOT))),
            Map.entry("wildcardHost", v -> dnsSubdomain(v.startsWith("*.") ? v.substring(2) : v)),
            Map.entry("noAddress", v -> ip(v).isEmpty() ? List.of("must be a DNS name, not an IP address") : List.of()),
            Map.entry("definedGroup", v -> v.contains(".") || !dnsSubdomain(v).isEmpty()
                    ? dnsSubdomain(v)
                    : List.of("should be a domain with at least one dot")),
            Map.entry("threeSegments", v -> v.split("\\.", -1).length > 2
                    ? List.of()
                    : List.of("should be a domain with at least three segments separated by dots")));

    private Formats() {}

    /**
     * The format of a name in {@code rules.tsv} and {@code kinds.tsv}.
     *
     * @throws IllegalArgumentException if there is none of that name
     */
    public static Function<String, List<String>> named(String name) {
        Function<String, List<String>> format = BY_NAME.get(name);
        if (format == null) {
            throw new IllegalArgumentException("no format is called " + name);
        }
        return format;
    }

    public static List<String> dnsLabel(String value) {
        List<String> wrong = maxLength(value, 63);
        if (!Names.hasLabelForm(value)) {
            wrong.add(Names.hasSubdomainForm(value)
                    ? "must not contain dots"
                    : form("a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and"
                            + " must start and end with an alphanumeric character", LABEL, "my-name", "123-abc"));
        }
        return wrong;
    }

    /** A DNS label that begins with a letter. */
    public static List<String> dns1035Label(String value) {
        List<String> wrong = maxLength(value, 63);
        if (!LABEL_1035_FORM.matcher(value).matches()) {
            wrong.add(form("a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an"
                    + " alphabetic character, and end with an alphanumeric character", LABEL_1035, "my-name",
                    "abc-123"));
        }
        return wrong;
    }

    /** A CIDR block: an address and a prefix length. */
    public static List<String> cidr(String value) {
        return IpFormats.range(value);
    }

    public static List<String> dnsSubdomain(String value) {
        List<String> wrong = maxLength(value, 253);
        if (!Names.hasSubdomainForm(value)) {
            wrong.add(form("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or"
                    + " '.', and must start and end with an alphanumeric character", SUBDOMAIN, "example.com"));
        }
        return wrong;
    }

    /** A DNS subdomain in which labels may begin with an underscore and have some within. */
    public static List<String> underscoredSubdomain(String value) {
        List<String> wrong = maxLength(value, 253);
        for (String label : value.split("\\.", -1)) {
            String rest = label.startsWith("_") ? label.substring(1) : label;
            if (!consistsOf(rest, false, "-_") || "-_".indexOf(rest.charAt(0)) >= 0
                    || "-_".indexOf(rest.charAt(rest.length() - 1)) >= 0) {
                wrong.add(form("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_',"
                        + " '-' or '.', and must start and end with an alphanumeric character",
                        UNDERSCORED + "(\\." + UNDERSCORED + ")*", "example.com"));
                break;
            }
        }
        return wrong;
    }

    /** A name that can be one segment of a path, such as the name of a role. */
    public static List<String> pathSegment(String value) {
        List<String> wrong = new ArrayList<>(0);
        if (value.equals(".") || value.equals("..")) {
            wrong.add("may not be '" + value + "'");
        }
        for (String character : List.of("/", "%")) {
            if (value.contains(character)) {
                wrong.add("may not contain '" + character + "'");
            }
        }
        return wrong;
    }

    /** A label key: a name, optionally with a domain as prefix. */
    public static List<String> qualifiedName(String value) {
        if (Names.isLabelKey(value)) {
            return List.of();
        }
        List<String> wrong = new ArrayList<>(0);
        String rule = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an"
                + " alphanumeric character";
        String[] parts = value.split("/", -1);
        if (parts.length > 2) {
            wrong.add("a valid label key " + form(rule, KEY, "MyName", "my.name", "123-abc")
                    + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
            return wrong;
        }
        if (parts.length == 2) {
            if (parts[0].isEmpty()) {
                wrong.add("prefix part must be non-empty");
            } else {
                dnsSubdomain(parts[0]).forEach(message -> wrong.add("prefix part " + inBytes(message)));
            }
        }
        String name = parts[parts.length - 1];
        if (name.isEmpty()) {
            wrong.add("name part must be non-empty");
        } else if (name.length() > 63) {
            wrong.add("name part must be no more than 63 bytes");
        }
        if (!Names.hasKeyForm(name)) {
            wrong.add("name part " + form(rule, KEY, "MyName", "my.name", "123-abc"));
        }
        return wrong;
    }

    public static List<String> labelValue(String value) {
        List<String> wrong = maxLength(value, 63);
        wrong.replaceAll(Formats::inBytes);
        if (!value.isEmpty() && !Names.hasKeyForm(value)) {
            wrong.add(form("a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or"
                    + " '.', and must start and end with an alphanumeric character", LABEL_VALUE, "MyValue", "my_value",
                    "12345"));
        }
        return wrong;
    }

    public static List<String> configKey(String value) {
        List<String> wrong = maxLength(value, 253);
        if (!consistsOf(value, true, "-._")) {
            wrong.add(form("a valid config key must consist of alphanumeric characters, '-', '_' or '.'", CONFIG_KEY,
                    "key.name", "KEY_NAME", "key-name"));
        }
        if (value.equals(".") || value.equals("..")) {
            wrong.add("must not be '" + value + "'");
        } else if (value.startsWith("..")) {
            wrong.add("must not start with '..'");
        }
        return wrong;
    }

    static List<String> environmentName(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < ' ' || c > '~' || c == '=') {
                return List.of("a valid environment variable name must consist only of printable ASCII characters other"
                        + " than '='");
            }
        }
        return List.of();
    }

    public static List<String> percent(String value) {
        return PERCENT_FORM.matcher(value).matches()
                ? List.of()
                : List.of(form("a valid percent string must be a numeric string followed by an ending '%'", PERCENT,
                        "1%", "93%"));
    }

    static List<String> headerName(String value) {
        return consistsOf(value, true, "-")
                ? List.of()
                : List.of(form("a valid HTTP header must consist of alphanumeric characters or '-'", HEADER,
                        "X-Header-Name"));
    }

    public static List<String> portNumber(long port) {
        return port >= 1 && port <= 65535 ? List.of() : List.of("must be between 1 and 65535, inclusive");
    }

    public static List<String> portName(String value) {
        List<String> wrong = maxLength(value, 15);
        if (!consistsOf(value, false, "-")) {
            wrong.add("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
        }
        if (value.chars().noneMatch(c -> c >= 'a' && c <= 'z')) {
            wrong.add("must contain at least one letter (a-z)");
        }
        if (value.contains("--")) {
            wrong.add("must not contain consecutive hyphens");
        }
        if (value.startsWith("-") || value.endsWith("-")) {
            wrong.add("must not begin or end with a hyphen");
        }
        return wrong;
    }

    public static List<String> ip(String value) {
        return IpFormats.address(value);
    }

    /** As {@link #ip}, and the problem of an address at which no endpoint can be, such as a loopback address. */
    public static List<String> endpointIp(String value) {
        return IpFormats.endpoint(value);
    }

    /** An identifier of the language C, such as a device's attribute. */
    static List<String> identifier(String value) {
        return consistsOf(value, true, "_") && !Character.isDigit(value.charAt(0))
                ? List.of()
                : List.of(form("a valid C identifier must start with alphabetic character or '_', followed by a string"
                        + " of alphanumeric characters or '_'", IDENTIFIER, "my_name", "MY_NAME", "MyName"));
    }

    /** The reason of a condition. */
    static List<String> conditionReason(String value) {
        boolean valid = consistsOf(value, true, "_,:") && Character.isLetter(value.charAt(0))
                && !value.endsWith(",") && !value.endsWith(":");
        return valid
                ? List.of()
                : List.of(form("a condition reason must start with alphabetic character, optionally followed by a"
                        + " string of alphanumeric characters or '_,:', and must end with an alphanumeric character or"
                        + " '_'", REASON, "my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"));
    }

    private static List<String> uid(String value) {
        return UID.matcher(value).matches()
                ? List.of()
                : List.of("uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with"
                        + " lowercase hexadecimal characters");
    }

    /** The name of a resource that Kubernetes does not define. */
    private static List<String> extendedResource(String value) {
        boolean isNative = !value.contains("/") || value.contains("kubernetes.io/");
        return !isNative && !value.startsWith("requests.") && qualifiedName("requests." + value).isEmpty()
                ? List.of()
                : List.of("must be a valid extended resource name");
    }

    /** A semantic version. */
    static List<String> semver(String value) {
        return value.length() <= MOST_OF_VERSION && SEMVER.matcher(value).matches()
                ? List.of()
                : List.of("must be a string compatible with semver.org spec 2.0.0");
    }

    /** A fully qualified name, perhaps with a dot at its end. */
    static List<String> fullyQualified(String value) {
        String name = value.endsWith(".") ? value.substring(0, value.length() - 1) : value;
        List<String> wrong = new ArrayList<>(dnsSubdomain(name));
        if (wrong.isEmpty() && name.indexOf('.') < 0) {
            wrong.add("should be a domain with at least two segments separated by dots");
        }
        for (String label : wrong.isEmpty() ? name.split("\\.", -1) : new String[0]) {
            wrong.addAll(dnsLabel(label));
        }
        return wrong;
    }

    /** Whether a text has ASCII letters and digits and these other characters alone, and at least one. */
    private static boolean consistsOf(String value, boolean upperCase, String others) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            boolean alphanumeric = c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || upperCase && c >= 'A' && c <= 'Z';
            if (!alphanumeric && others.indexOf(c) < 0) {
                return false;
            }
        }
        return !value.isEmpty();
    }

    /** Replaces characters by bytes, which newer rules of upstream count. */
    private static String inBytes(String message) {
        return message.startsWith("must be no more than ") ? message.replace(" characters", " bytes") : message;
    }

    private static List<String> maxLength(String value, int max) {
        List<String> wrong = new ArrayList<>(0);
        if (value.length() > max) {
            wrong.add("must be no more than " + max + " characters");
        }
        return wrong;
    }

    private static String form(String rule, String regex, String... examples) {
        return rule + " (e.g. '" + String.join("',  or '", examples) + "', regex used for validation is '" + regex
                + "')";
    }
}
