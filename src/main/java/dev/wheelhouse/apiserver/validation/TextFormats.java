package dev.wheelhouse.apiserver.validation;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDate;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.Names;
import dev.wheelhouse.runtime.Durations;

/**
 * The formats that schemas of custom resources give to texts (upstream:
 * {@code apiextensions-apiserver/pkg/apiserver/validation/formats.go}, {@code kube-openapi/pkg/validation/strfmt}).
 */
public final class TextFormats {
    private static final String UUID = "[0-9a-f]{8}-?[0-9a-f]{4}-?";
    private static final String PART = "\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*";
    /** Formats that a pattern decides. None of the patterns can be matched in several ways. */
    private static final Map<String, Pattern> PATTERNS = Map.ofEntries(
            Map.entry("uuid", Pattern.compile("(?i)" + UUID + "[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")),
            Map.entry("uuid3", Pattern.compile("(?i)" + UUID + "3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}")),
            Map.entry("uuid4", Pattern.compile("(?i)" + UUID + "4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}")),
            Map.entry("uuid5", Pattern.compile("(?i)" + UUID + "5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}")),
            Map.entry("bsonobjectid", Pattern.compile("(?i)[0-9a-f]{24}")),
            Map.entry("hexcolor", Pattern.compile("#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})")),
            Map.entry("rgbcolor", Pattern.compile("rgb\\(" + PART + "," + PART + "," + PART + "\\)")),
            Map.entry("ssn", Pattern.compile("\\d{3}[- ]\\d{2}[- ]\\d{4}")));
    private static final com.google.re2j.Pattern HOSTNAME = com.google.re2j.Pattern.compile(
            "([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?)|([a-zA-Z0-9\\p{S}\\p{L}]"
                    + "(([a-zA-Z0-9\\p{S}\\p{L}-]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})");
    private static final Pattern CARD = Pattern.compile("4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])"
            + "[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\\d{3})\\d{11}");
    private static final Pattern TIME = Pattern
            .compile("([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})");
    private static final Pattern WORDS_OF_DURATION = Pattern.compile("([0-9]{1,18})\\s{0,20}([A-Za-zµ]+)");
    /** The nanoseconds of units, whose names may go on after some of them. */
    private static final Map<String, Long> UNITS = Map.ofEntries(Map.entry("ns", 1L), Map.entry("nano", 1L),
            Map.entry("us", 1_000L), Map.entry("µs", 1_000L), Map.entry("μs", 1_000L), Map.entry("micro", 1_000L),
            Map.entry("ms", 1_000_000L), Map.entry("milli", 1_000_000L), Map.entry("s", 1_000_000_000L),
            Map.entry("sec", 1_000_000_000L), Map.entry("m", 60_000_000_000L), Map.entry("min", 60_000_000_000L),
            Map.entry("h", 3_600_000_000_000L), Map.entry("hr", 3_600_000_000_000L),
            Map.entry("hour", 3_600_000_000_000L), Map.entry("d", 86_400_000_000_000L),
            Map.entry("day", 86_400_000_000_000L), Map.entry("w", 604_800_000_000_000L),
            Map.entry("week", 604_800_000_000_000L), Map.entry("wk", 604_800_000_000_000L));
    private static final Set<String> OPEN_UNITS = Set.of("nano", "micro", "milli", "sec", "min", "hour", "day", "wk");
    /** The formats without a pattern. */
    private static final Set<String> OTHERS = Set.of("uri", "mac", "email", "hostname", "ipv4", "ipv6", "cidr", "isbn",
            "isbn10", "isbn13", "creditcard", "byte", "password", "date", "datetime", "duration", "k8sshortname",
            "k8slongname");
    private static final int MOST_OF_DURATION = 1_000;

    private TextFormats() {}

    /** Whether upstream checks the format of values of a type; the type may be empty. */
    public static boolean isKnown(String type, String format) {
        String name = format.replace("-", "");
        return switch (type) {
            case "", "string" -> PATTERNS.containsKey(name) || OTHERS.contains(name);
            case "integer" -> format.equals("int32") || format.equals("int64");
            case "number" -> format.equals("float") || format.equals("double");
            default -> false;
        };
    }

    /** Whether a text has the format; true for a format that upstream does not know. */
    public static boolean isValid(String format, String text) {
        String name = format.replace("-", "");
        Pattern pattern = PATTERNS.get(name);
        if (pattern != null) {
            return text.length() <= 100 && pattern.matcher(text).matches();
        }
        return switch (name) {
            case "uri" -> isUri(text);
            case "mac" -> isMac(text);
            case "email" -> isEmail(text);
            case "hostname" -> text.getBytes(StandardCharsets.UTF_8).length <= 255 && HOSTNAME.matches(text)
                    && Stream.of(text.split("\\."))
                            .allMatch(label -> label.getBytes(StandardCharsets.UTF_8).length <= 63);
            case "ipv4" -> text.indexOf(':') < 0 && IpFormats.address(text).isEmpty();
            case "ipv6" -> text.indexOf(':') >= 0 && IpFormats.parse(text) != null;
            case "cidr" -> Formats.cidr(text).isEmpty();
            case "isbn" -> isIsbn(text, 10) || isIsbn(text, 13);
            case "isbn10" -> isIsbn(text, 10);
            case "isbn13" -> isIsbn(text, 13);
            case "creditcard" -> isCard(text);
            case "byte" -> isBase64(text);
            case "date" -> isDate(text);
            case "datetime" -> isDateTime(text);
            case "duration" -> duration(text) != null;
            case "k8sshortname" -> text.length() <= 63 && Names.hasLabelForm(text);
            case "k8slongname" -> text.length() <= 253 && Names.hasSubdomainForm(text);
            default -> true;
        };
    }

    private static boolean isUri(String text) {
        try {
            URI uri = new URI(text.replace(" ", "%20"));
            return text.startsWith("/") || uri.getScheme() != null;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    /** Six, eight or twenty bytes, with the same sign after each or each second one. */
    private static boolean isMac(String text) {
        String sign = text.length() > 2 && text.length() < 60 ? text.replaceAll("[0-9A-Fa-f]", "") : "";
        if (sign.isEmpty()) {
            return false;
        }
        String[] parts = text.split(Pattern.quote(sign.substring(0, 1)), -1);
        int length = sign.startsWith(".") ? 4 : 2;
        int bytes = parts.length * length / 2;
        return ":-.".contains(sign.substring(0, 1)) && Set.of(6, 8, 20).contains(bytes)
                && Stream.of(parts).allMatch(part -> part.length() == length && part.matches("[0-9A-Fa-f]+"));
    }

    private static boolean isEmail(String text) {
        int open = text.lastIndexOf('<');
        String address = text.endsWith(">") && open >= 0 ? text.substring(open + 1, text.length() - 1) : text.strip();
        int at = address.lastIndexOf('@');
        return at > 0 && at < address.length() - 1
                && address.chars().noneMatch(c -> c <= ' ' || "<>()[],;:\\".indexOf(c) >= 0)
                && !address.startsWith(".") && !address.endsWith(".") && !address.contains("..")
                && address.indexOf('@') == at;
    }

    private static boolean isIsbn(String text, int digits) {
        String bare = text.length() > 100 ? "" : text.replaceAll("[\\s-]+", "");
        if (bare.length() != digits || !bare.substring(0, digits - 1).chars().allMatch(c -> c >= '0' && c <= '9')
                || !(digits == 10 ? "0123456789X" : "0123456789").contains(bare.substring(digits - 1))) {
            return false;
        }
        int sum = 0;
        for (int i = 0; i < digits; i++) {
            int digit = bare.charAt(i) == 'X' ? 10 : bare.charAt(i) - '0';
            sum += digit * (digits == 10 ? i + 1 : i % 2 == 0 ? 1 : 3);
        }
        return sum % (digits == 10 ? 11 : 10) == 0;
    }

    private static boolean isCard(String text) {
        String digits = text.length() > 100 ? "" : text.replaceAll("[^0-9]+", "");
        int sum = 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = digits.charAt(digits.length() - 1 - i) - '0';
            int twice = i % 2 == 0 ? digit : 2 * digit;
            sum += twice > 9 ? twice - 9 : twice;
        }
        return CARD.matcher(digits).matches() && sum % 10 == 0;
    }

    private static boolean isBase64(String text) {
        int padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
        return !text.isEmpty() && text.length() % 4 == 0 && text.substring(0, text.length() - padding).chars()
                .allMatch(c -> c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+'
                        || c == '/');
    }

    private static boolean isDate(String text) {
        try {
            return text.length() == 10 && LocalDate.parse(text) != null;
        } catch (DateTimeException e) {
            return false;
        }
    }

    private static boolean isDateTime(String text) {
        String[] parts = text.toLowerCase(Locale.ROOT).split("t", 3);
        if (parts.length < 2 || !isDate(parts[0])) {
            return false;
        }
        Matcher time = TIME.matcher(parts[1]);
        return time.matches() && time.group(1).compareTo("23") <= 0 && time.group(2).compareTo("59") <= 0
                && time.group(3).compareTo("59") <= 0;
    }

    /** A duration as Go and Scala write it, such as {@code 1h30m} or {@code 2 days}; null for any other text. */
    public static @Nullable Duration duration(String text) {
        if (text.length() > MOST_OF_DURATION) {
            return null;
        }
        try {
            Duration go = Durations.parseSigned(text);
            return go == null ? wordsOfDuration(text) : go;
        } catch (ArithmeticException e) {
            return null;
        }
    }

    private static @Nullable Duration wordsOfDuration(String text) {
        Matcher matcher = WORDS_OF_DURATION.matcher(text);
        Duration sum = null;
        while (matcher.find()) {
            String unit = matcher.group(2).toLowerCase(Locale.ROOT);
            for (Map.Entry<String, Long> known : UNITS.entrySet()) {
                if (unit.equals(known.getKey())
                        || OPEN_UNITS.contains(known.getKey()) && unit.startsWith(known.getKey())) {
                    sum = (sum == null ? Duration.ZERO : sum)
                            .plusNanos(Math.multiplyExact(Long.parseLong(matcher.group(1)), known.getValue()));
                    break;
                }
            }
        }
        return sum;
    }
}
