package dev.wheelhouse.apiserver.validation;

import java.math.BigDecimal;
import java.util.List;
import java.util.function.Function;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

import dev.wheelhouse.facts.GoQuote;
import dev.wheelhouse.facts.Quantities;

/** The words of rows that warn of valid values; {@code warnings.tsv} explains them. */
final class WarningWords {
    private WarningWords() {}

    static Rules.Step rule(String word, String argument, String detail) {
        List<String> words = List.of(argument.split("\\|", -1));
        return switch (word) {
            case "warn" -> subject -> !argument.isEmpty() && !words.contains(subject.text()) || !warns(subject, detail);
            case "once" -> once(argument);
            case "whole" -> subject -> !words.contains(subject.key()) || isWhole(subject);
            case "advised" -> advised(Formats.named(argument), detail);
            default -> throw new IllegalArgumentException("no rule is called " + word);
        };
    }

    private static boolean warns(Subject subject, String detail) {
        subject.problems().warn(subject.path(), detail);
        return true;
    }

    private static Rules.Step once(String name) {
        Object use = new Object();
        return subject -> {
            JsonNode text = StringNode.valueOf(subject.text());
            return subject.isNew(use, text)
                    || !warns(subject, "duplicate " + name + " " + GoQuote.of(subject.text()));
        };
    }

    private static boolean isWhole(Subject subject) {
        String text = subject.value().asString("");
        BigDecimal value = Quantities.parse(text);
        return value == null || value.stripTrailingZeros().scale() <= 0
                || !warns(subject, "fractional byte value " + GoQuote.of(String.valueOf(Quantities.canonical(text)))
                        + " is invalid, must be an integer");
    }

    private static Rules.Step advised(Function<String, List<String>> format, String detail) {
        return subject -> {
            List<String> wrong = format.apply(subject.text());
            return wrong.isEmpty() || !warns(subject, detail + ": [" + String.join(" ", wrong) + "]");
        };
    }
}
