package dev.wheelhouse.apiserver.validation;

import java.math.BigDecimal;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.Quantities;

/** The words of rules that need nothing but the value and the columns of their row; {@code rules.tsv} explains them. */
final class RuleWords {
    private RuleWords() {}

    /** @param when the sign after the word, or a space */
    static Rules.Step rule(String word, char when, String argument, String detail) {
        return switch (word) {
            case "required" -> required(Subject::isSet, detail);
            case "present" -> required(Subject::isPresent, detail);
            case "notEmpty" -> subject -> subject.isSet()
                    || isInvalid(subject, detail.isEmpty() ? "must not be empty" : detail);
            case "keys" -> keys(argument, value -> true);
            case "filledKeys" -> keys(argument, Subject::isSet);
            case "perFamily" -> perFamily(Formats.named(argument), detail);
            case "format" -> format(argument);
            case "joined" -> joined(Formats.named(argument), detail.isEmpty() ? "" : detail + ": ");
            case "enum" -> oneOf(argument.split("\\|", -1));
            case "each" -> each(argument.split("\\|", -1));
            case "is" -> is(Json.read(argument), detail);
            case "range" -> range(argument, detail);
            case "quantity" -> quantity(argument, detail);
            case "length" -> length(Integer.parseInt(argument), detail);
            case "items" -> items(Integer.parseInt(argument));
            case "unique" -> unique(argument, detail);
            case "collect" -> subject -> subject.names(argument).add(subject.name()) || true;
            case "new" -> subject -> {
                boolean isNew = !subject.names(argument).contains(subject.text());
                if (!isNew && detail.isEmpty()) {
                    subject.problems().duplicate(subject.path(), StringNode.valueOf(subject.text()).toString());
                }
                return isNew || !detail.isEmpty() && isInvalid(subject, detail);
            };
            case "apart" -> apart(argument.split("\\.", 2), detail);
            case "trimmed" -> subject -> subject.text().equals(subject.text().strip()) || isInvalid(subject, detail);
            case "known" -> known(argument, detail);
            case "immutable" -> immutable(when != '+', argument.equals("forbidden"), detail);
            case "forbidden" -> failing(subject -> subject.problems().forbidden(subject.path(), detail));
            case "invalid" -> invalid(argument, detail);
            case "shown" -> shown(Json.read(argument), detail);
            case "unsupported" -> unsupported(detail.isEmpty() ? StringNode.valueOf("") : Json.read(detail),
                    argument.split("\\|"));
            case "missing" -> failing(subject -> subject.problems().required(subject.path(), detail));
            case "single" -> subject -> {
                if (subject.value().size() != 1) {
                    subject.problems().required(subject.path(), detail);
                }
                return true;
            };
            case "prefix" -> prefix(argument.split("\\|"), detail);
            case "same", "other" -> subject -> word.equals("same") == subject.value()
                    .equals(Subject.field(subject.object(), argument)) || isInvalid(subject, detail);
            case "without" -> without(String::contains, argument, "must not contain", detail);
            case "noSuffix" -> without(String::endsWith, argument, "cannot end with", detail);
            case "noPrefix" -> without(String::startsWith, argument, "must not start with", detail);
            case "alone" -> subject -> subject.value().size() < 2
                    || subject.value().valueStream().noneMatch(element -> element.asString("").equals(argument))
                    || isInvalid(subject, detail);
            case "atMost" -> compared(argument, detail, (value, other) -> value <= other);
            case "atLeast" -> compared(argument, detail, (value, other) -> value >= other);
            case "above" -> compared(argument, detail, (value, other) -> value > other);
            case "grows" -> subject -> subject.number() >= subject.old().asLong(0)
                    || isInvalidNumber(subject, detail);
            default -> WarningWords.rule(word, argument, detail);
        };
    }

    private static Rules.Step required(Predicate<Subject> given, String detail) {
        return subject -> {
            if (!given.test(subject)) {
                subject.problems().required(subject.path(), detail);
            }
            return given.test(subject);
        };
    }

    /** A rule that no value keeps. */
    private static Rules.Step failing(Consumer<Subject> cause) {
        return subject -> {
            cause.accept(subject);
            return false;
        };
    }

    /** @param valid whether a present value suffices */
    private static Rules.Step keys(String argument, Predicate<JsonNode> valid) {
        return subject -> {
            int before = subject.problems().size();
            for (String key : argument.split("\\|")) {
                JsonNode value = Subject.field(subject.value(), key);
                if (value.isMissingNode() || !valid.test(value)) {
                    subject.problems().required(Problems.key(subject.path(), key), "");
                }
            }
            return subject.problems().size() == before;
        };
    }

    /** One address or range for each family of IP, unless one of them is invalid. */
    private static Rules.Step perFamily(Function<String, List<String>> format, String detail) {
        Rules.Step shown = shown(Json.read("[{\"IP\":\"\"}]"), detail);
        return subject -> {
            List<String> texts = subject.value().valueStream()
                    .map(element -> element.isObject() ? Json.text(element, "ip") : element.asString("")).toList();
            return texts.size() < 2 || texts.size() == 2 && texts.get(0).contains(":") != texts.get(1).contains(":")
                    || texts.stream().anyMatch(text -> format.apply(text).toString().contains("must be a valid"))
                    || (subject.value().path(0).isObject() ? shown.check(subject) : isInvalid(subject, detail));
        };
    }

    /** @param place a list beside the value's, and the field of its elements that never has the same value */
    private static Rules.Step apart(String[] place, String detail) {
        return subject -> !subject.isIn(place[0], place.length == 1 ? "" : place[1]) || isInvalid(subject, detail);
    }

    private static Rules.Step unsupported(JsonNode form, String... values) {
        return failing(subject -> subject.problems().notSupported(subject.path(), GoForm.of(form, subject.value()),
                values));
    }

    /** @param form the form in which the message shows the value, or the object that a scalar is a field of */
    private static Rules.Step shown(JsonNode form, String detail) {
        return failing(subject -> subject.problems().invalid(subject.path(),
                GoForm.of(form, subject.value().isContainer() ? subject.value() : subject.object()), detail));
    }

    /** @param name the field beside the value that it is compared with */
    private static Rules.Step compared(String name, String detail, BiPredicate<Long, Long> valid) {
        return subject -> valid.test(subject.number(), Json.number(subject.object(), 0, name))
                || isInvalidNumber(subject, detail);
    }

    private static Rules.Step without(BiPredicate<String, String> found, String parts, String text,
            String detail) {
        String[] all = parts.split("\\|");
        return subject -> {
            boolean valid = true;
            for (String part : all) {
                if (found.test(subject.text(), part)) {
                    valid = isInvalid(subject, detail.isEmpty() ? text + " '" + part + "'" : detail);
                }
            }
            return valid;
        };
    }

    private static Rules.Step known(String use, String detail) {
        return subject -> {
            boolean known = subject.names(use).contains(subject.text());
            if (!known && detail.isEmpty()) {
                subject.problems().notFound(subject.path(), subject.text(), "");
            }
            return known || !detail.isEmpty() && isInvalid(subject, detail);
        };
    }

    private static boolean isInvalid(Subject subject, String detail) {
        if (subject.isPresent() && !subject.value().isString()) {
            subject.problems().invalid(subject.path(), subject.value(), detail);
        } else {
            subject.problems().invalid(subject.path(), subject.text(), detail);
        }
        return false;
    }

    private static boolean isInvalidNumber(Subject subject, String detail) {
        subject.problems().invalid(subject.path(), subject.number(), detail);
        return false;
    }

    private static Rules.Step format(String name) {
        Function<String, List<String>> format = Formats.named(name);
        return subject -> {
            List<String> wrong = format.apply(subject.text());
            if (!wrong.isEmpty()) {
                subject.problems().invalid(subject.path(), subject.text(), wrong);
            }
            return wrong.isEmpty();
        };
    }

    /** One cause with all that is wrong, behind a text. */
    private static Rules.Step joined(Function<String, List<String>> format, String before) {
        return subject -> {
            List<String> wrong = format.apply(subject.text());
            return wrong.isEmpty() || isInvalid(subject, before + String.join(",", wrong));
        };
    }

    private static Rules.Step prefix(String[] beginnings, String detail) {
        return subject -> Stream.of(beginnings).anyMatch(subject.text()::startsWith) || isInvalid(subject, detail);
    }

    private static Rules.Step oneOf(String... values) {
        List<String> known = List.of(values);
        return subject -> {
            boolean valid = known.contains(subject.value().asString(""));
            if (!valid && subject.isPresent()) {
                subject.problems().notSupported(subject.path(), subject.value(), values);
            } else if (!valid) {
                subject.problems().notSupported(subject.path(), "", values);
            }
            return valid;
        };
    }

    /** Each element of the list is one of the values. A cause shows the list. */
    private static Rules.Step each(String... values) {
        List<String> known = List.of(values);
        return subject -> {
            boolean valid = subject.value().valueStream().allMatch(element -> known.contains(element.asString("")));
            if (!valid) {
                subject.problems().notSupported(subject.path(), subject.value(), values);
            }
            return valid;
        };
    }

    private static Rules.Step is(JsonNode fixed, String detail) {
        return subject -> subject.value().equals(fixed) || isInvalid(subject, detail);
    }

    /** @param argument {@code 1..100}; either end may be missing */
    private static Rules.Step range(String argument, String detail) {
        int dots = argument.indexOf("..");
        String first = argument.substring(0, dots);
        String last = argument.substring(dots + 2);
        long least = first.isEmpty() ? Long.MIN_VALUE : Long.parseLong(first);
        long most = last.isEmpty() ? Long.MAX_VALUE : Long.parseLong(last);
        String text = !detail.isEmpty()
                ? detail
                : last.isEmpty()
                        ? "must be greater than or equal to " + first
                        : first.isEmpty()
                                ? "must be less than or equal to " + last
                                : "must be between " + first + " and " + last + ", inclusive";
        return subject -> {
            long number = subject.number();
            return number >= least && number <= most || isInvalidNumber(subject, text);
        };
    }

    /** @param argument {@code 0}, or {@code >0} for more */
    private static Rules.Step quantity(String argument, String detail) {
        int least = argument.startsWith(">") ? 1 : 0;
        return subject -> {
            BigDecimal value = Quantities.parse(subject.value().asString(""));
            return value == null || value.signum() >= least
                    || isInvalid(subject, detail.isEmpty() ? "must be greater than or equal to 0" : detail);
        };
    }

    private static Rules.Step length(int most, String detail) {
        return subject -> {
            boolean valid = MetadataValidation.utf8Length(subject.text()) <= most;
            if (!valid && detail.isEmpty()) {
                subject.problems().tooLong(subject.path(), most);
            }
            return valid || !detail.isEmpty() && isInvalid(subject, detail);
        };
    }

    private static Rules.Step items(int most) {
        return subject -> {
            int size = subject.value().size();
            if (size > most) {
                subject.problems().tooMany(subject.path(), size, most);
            }
            return size <= most;
        };
    }

    /** @param use where names of the whole object are collected, or empty for within the innermost list */
    private static Rules.Step unique(String use, String detail) {
        Object key = new Object();
        return subject -> {
            JsonNode value = subject.isPresent() ? subject.value() : StringNode.valueOf("");
            boolean unique = use.isEmpty() ? subject.isNew(key, value) : subject.names(use).add(subject.name());
            if (!unique && detail.isEmpty()) {
                subject.problems().duplicate(subject.path(), value.toString());
            }
            return unique || !detail.isEmpty() && isInvalid(subject, detail);
        };
    }

    /** @param zeroIsAbsent whether the zero value and none are the same, as for fields of Go that are no pointers */
    private static Rules.Step immutable(boolean zeroIsAbsent, boolean forbids, String detail) {
        String text = detail.isEmpty() ? "field is immutable" : detail;
        return subject -> {
            JsonNode old = subject.old();
            boolean same = subject.value().equals(old) || zeroIsAbsent && !subject.isSet() && !Subject.isSet(old);
            if (!same && forbids) {
                subject.problems().forbidden(subject.path(), text);
            } else if (!same && zeroIsAbsent && old.isString()) {
                subject.problems().invalid(subject.path(), subject.text(), text);
            } else if (!same) {
                subject.problems().invalid(subject.path(), subject.isPresent() ? subject.value() : null, text);
            }
            return same;
        };
    }

    /** @param argument JSON that the cause shows as the value, {@code -} for no value, or empty for the value itself */
    private static Rules.Step invalid(String argument, String detail) {
        if (argument.isEmpty()) {
            return subject -> isInvalid(subject, detail);
        }
        if (argument.equals("-")) {
            return failing(subject -> subject.problems().omitted(subject.path(), detail));
        }
        JsonNode shown = Json.read(argument);
        return failing(subject -> subject.problems().invalid(subject.path(), shown, detail));
    }
}
