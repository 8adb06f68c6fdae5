package dev.wheelhouse.apiserver.protocol;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import dev.wheelhouse.api.ShardSelector;
import dev.wheelhouse.apiserver.json.Json;

import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.parser.CelParser;
import dev.cel.parser.CelParserFactory;

/**
 * Parses shard selectors: {@code shardRange(field, 'start', 'end')}, several joined by {@code ||}. They are CEL
 * expressions that are read and never evaluated (upstream: {@code apiserver/pkg/sharding/parser.go}).
 */
final class ShardSelectors {
    private static final CelParser PARSER = CelParserFactory.standardCelParserBuilder().build();
    private static final String MAX = "0x10000000000000000";
    private static final int DIGITS = 16;

    /** The kinds of expressions in the order of cel-go's {@code common/ast}, whose numbers upstream's errors show. */
    private static final List<Kind> KINDS = List.of(Kind.NOT_SET, Kind.CALL, Kind.COMPREHENSION, Kind.IDENT, Kind.LIST,
            Kind.CONSTANT, Kind.MAP, Kind.SELECT, Kind.STRUCT);

    private ShardSelectors() {}

    /** @throws IllegalArgumentException with upstream's words, if the text is not a shard selector */
    static ShardSelector parse(String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException(
                    "empty shard selector is not allowed; omit the parameter for unfiltered lists");
        }
        List<ShardSelector> parts = new ArrayList<>();
        collect(expression(text.strip()), parts);
        String field = parts.getFirst().field();
        List<ShardSelector.Range> ranges = new ArrayList<>();
        for (ShardSelector part : parts) {
            if (!part.field().equals(field)) {
                throw new IllegalArgumentException("all shard ranges must use the same field, got "
                        + quoted(field) + " and " + quoted(part.field()));
            }
            ranges.addAll(part.ranges());
        }
        return new ShardSelector(field, ranges);
    }

    private static CelExpr expression(String text) {
        try {
            CelValidationResult parsed = PARSER.parse(text);
            if (parsed.hasError()) {
                throw new IllegalArgumentException(
                        "CEL parse error: Syntax error: " + parsed.getErrors().getFirst().getMessage());
            }
            return parsed.getAst().getExpr();
        } catch (CelValidationException e) {
            throw new IllegalArgumentException("CEL parse error: " + e.getMessage(), e);
        } catch (StackOverflowError e) {
            throw new IllegalArgumentException("CEL parse error: the expression nests too deeply");
        }
    }

    /** Adds each range of an expression as a selector of its own. */
    private static void collect(CelExpr expression, List<ShardSelector> parts) {
        if (expression.getKind() != Kind.CALL) {
            throw new IllegalArgumentException("unexpected expression kind " + KINDS.indexOf(expression.getKind())
                    + "; expected shardRange() call or || operator");
        }
        CelExpr.CelCall call = expression.call();
        switch (call.function()) {
            case "_||_" -> call.args().forEach(side -> collect(side, parts));
            case "shardRange" -> parts.add(range(call.args()));
            default -> throw new IllegalArgumentException("unsupported function " + quoted(call.function())
                    + "; only shardRange() and || are allowed");
        }
    }

    private static ShardSelector range(List<CelExpr> arguments) {
        if (arguments.size() != 3) {
            throw new IllegalArgumentException("shardRange() requires exactly 3 arguments, got " + arguments.size());
        }
        String field = field(arguments.get(0));
        if (!field.equals(ShardSelector.UID) && !field.equals(ShardSelector.NAMESPACE)) {
            throw new IllegalArgumentException("unsupported field path " + quoted(field) + "; supported: "
                    + ShardSelector.UID + ", " + ShardSelector.NAMESPACE);
        }
        String start = bound(arguments.get(1), "hexStart");
        String end = bound(arguments.get(2), "hexEnd");
        boolean less = start.length() != end.length()
                ? start.length() < end.length()
                : start.compareTo(end) < 0;
        if (!less) {
            throw new IllegalArgumentException("shard range start " + start + " must be less than end " + end);
        }
        long last = end.equals(MAX) ? -1 : Long.parseUnsignedLong(end, 2, end.length(), 16) - 1;
        return new ShardSelector(field,
                List.of(new ShardSelector.Range(Long.parseUnsignedLong(start, 2, start.length(), 16), last)));
    }

    private static String field(CelExpr expression) {
        return switch (expression.getKind()) {
            case IDENT -> expression.ident().name();
            case SELECT -> field(expression.select().operand()) + "." + expression.select().field();
            default -> throw new IllegalArgumentException("shardRange() first argument: expected field path (e.g."
                    + " object.metadata.uid), got expression kind " + KINDS.indexOf(expression.getKind()));
        };
    }

    private static String bound(CelExpr expression, String name) {
        if (expression.getKind() != Kind.CONSTANT) {
            throw new IllegalArgumentException(name + " must be a string literal (e.g. '0xff'), got expression kind "
                    + KINDS.indexOf(expression.getKind()));
        }
        CelConstant constant = expression.constant();
        if (constant.getKind() != CelConstant.Kind.STRING_VALUE) {
            throw new IllegalArgumentException(name + " must be a string literal, got " + goType(constant));
        }
        String text = constant.stringValue();
        if (!text.startsWith("0x")) {
            throw new IllegalArgumentException(name + " must have '0x' prefix, got " + quoted(text));
        }
        String hex = text.substring(2);
        if (hex.isEmpty()) {
            throw new IllegalArgumentException(name + ": hex value is required after '0x'");
        }
        int bytes = hex.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > DIGITS + 1) {
            throw new IllegalArgumentException(
                    name + ": hex value too long (" + bytes + " chars, max 17): " + quoted(hex));
        }
        hex.codePoints().filter(c -> (c < '0' || c > '9') && (c < 'a' || c > 'f')).findFirst().ifPresent(c -> {
            throw new IllegalArgumentException(name + ": invalid hex character " + quoted(Character.toString(c))
                    + " in " + quoted(text));
        });
        if (hex.length() == DIGITS + 1 && !text.equals(MAX)) {
            throw new IllegalArgumentException(name + ": 17-digit hex value must be '" + MAX + "' (2^64), got "
                    + quoted(text));
        }
        if (hex.length() < DIGITS) {
            throw new IllegalArgumentException(name + " must be a 0x-prefixed 16-digit hex value, got "
                    + quoted(text) + " (did you mean "
                    + quoted("0x" + "0".repeat(DIGITS - hex.length()) + hex) + "?)");
        }
        return text;
    }

    private static String quoted(String text) {
        return Json.mapper().writeValueAsString(text);
    }

    private static String goType(CelConstant constant) {
        return switch (constant.getKind()) {
            case BOOLEAN_VALUE -> "bool";
            case INT64_VALUE -> "int64";
            case UINT64_VALUE -> "uint64";
            case DOUBLE_VALUE -> "float64";
            case BYTES_VALUE -> "[]uint8";
            default -> "structpb.NullValue";
        };
    }
}
