package dev.wheelhouse.apiserver.validation;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
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

    /**
     * The most characters of an IP address. Longer texts are not matched with the patterns, because that takes time
     * quadratic in their length.
     */
    private static final int MOST_OF_ADDRESS = 64;
    private static final Pattern PERCENT_FORM = Pattern.compile(PERCENT);
    private static final Pattern IPV4 = Pattern
            .compile("(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\\.|$)){4}(?<!\\.)");
    private static final Pattern LEADING_ZEROS = Pattern.compile("(?<![0-9])0+(?=[0-9])");
    private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*");

    private static final Map<String, Function<String, List<String>>> BY_NAME = Map.ofEntries(
            Map.entry("dnsLabel", Formats::dnsLabel), Map.entry("dns1035Label", Formats::dns1035Label),
            Map.entry("dnsSubdomain", Formats::dnsSubdomain), Map.entry("pathSegment", Formats::pathSegment),
            Map.entry("qualifiedName", Formats::qualifiedName), Map.entry("labelValue", Formats::labelValue),
            Map.entry("configKey", Formats::configKey), Map.entry("environmentName", Formats::environmentName),
            Map.entry("underscoredSubdomain", Formats::underscoredSubdomain),
            Map.entry("headerName", Formats::headerName), Map.entry("portName", Formats::portName),
            Map.entry("ip", Formats::ip), Map.entry("endpointIp", Formats::endpointIp),
            Map.entry("cidr", Formats::cidr));

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
        int slash = value.indexOf('/');
        boolean valid = slash > 0 && ip(value.substring(0, slash)).isEmpty()
                && value.substring(slash + 1).matches("0|[1-9][0-9]{0,2}")
                && Integer.parseInt(value.substring(slash + 1)) <= (value.contains(":") ? 128 : 32);
        return valid
                ? List.of()
                : List.of("must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
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
        if (isIpv4(value)) {
            return List.of();
        }
        if (isIpv6(value)) {
            return isMapped(value) ? List.of("must not be an IPv4-mapped IPv6 address") : List.of();
        }
        return List.of(value.length() <= MOST_OF_ADDRESS && isIpv4(LEADING_ZEROS.matcher(value).replaceAll(""))
                ? "must not have leading 0s"
                : "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
    }

    /** As {@link #ip}, and the problem of an address at which no endpoint can be, such as a loopback address. */
    public static List<String> endpointIp(String value) {
        if (!ip(value).isEmpty()) {
            return ip(value);
        }
        try {
            InetAddress address = InetAddress.getByName(value);
            if (address.isAnyLocalAddress()) {
                return List.of("may not be unspecified (" + value + ")");
            }
            if (address.isLoopbackAddress()) {
                return List.of("may not be in the loopback range (127.0.0.0/8, ::1/128)");
            }
            if (address.isLinkLocalAddress()) {
                return List.of("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
            }
            if (address.isMCLinkLocal()) {
                return List.of("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
            }
            return List.of();
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("no address: " + value, e);
        }
    }

    private static boolean isMapped(String value) {
        try {
            return (value.startsWith(":") || value.startsWith("0"))
                    && InetAddress.getByName(value) instanceof Inet4Address;
        } catch (UnknownHostException e) {
            return false; // no text that begins so and has a colon is looked up as a name
        }
    }

    static boolean isIpv4(String value) {
        return value.length() <= MOST_OF_ADDRESS && IPV4.matcher(value).matches();
    }

    static boolean isIpv6(String value) {
        return value.length() <= MOST_OF_ADDRESS && IPV6.matcher(value).matches();
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
