package dev.wheelhouse;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import dev.wheelhouse.TypedPage.Typed;

/** A terminal as a moving picture: text that appears line by line, without a script. It stands still at its end. */
final class FirstMinute {
    private static final int COLUMNS = 112;
    private static final int ROWS = 24;
    private static final int LINE = 17;
    private static final double LETTER = 7.23;
    private static final Pattern READY = Pattern.compile("(?s).*?(Wheelhouse is ready.*)");
    private static final Pattern PORTS = Pattern.compile("API server at http://127\\.0\\.0\\.1:(\\d+)"
            + "|Health and metrics: http://127\\.0\\.0\\.1:(\\d+)");
    private static final String STYLE = """
            <style>
            svg { --back: #f6f8fa; --text: #1f2328; --prompt: #0a6c2e; --bar: #d1d9e0; color: var(--text); }
            @media (prefers-color-scheme: dark) {
              svg { --back: #0d1117; --text: #e6edf3; --prompt: #4ac26b; --bar: #30363d; }
            }
            text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; \
            fill: var(--text); white-space: pre; animation: appear 1ms backwards; }
            .p { fill: var(--prompt); font-weight: bold; }
            .c { font-weight: bold; }
            @keyframes appear { from { opacity: 0; } }
            @media (prefers-reduced-motion: reduce) { text, g { animation: none !important; } }
            """;

    private FirstMinute() {}

    /** A line as the picture has it. */
    static String cut(String line) {
        return line.length() <= COLUMNS ? line : line.substring(0, COLUMNS - 1) + "…";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    static String plain(String escaped) {
        return escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    }

    /** @param at the second at which the row appears */
    private record Row(double at, String text) {}

    /** @param shown the typed lines that the picture has, the first ones */
    static String svg(List<Typed> typed, List<String> shown, Path folder) {
        List<Row> rows = new ArrayList<>();
        double at = 0.5;
        int left = shown.size();
        for (Typed each : typed.stream().filter(one -> !one.line().isEmpty()).toList().subList(0, left)) {
            rows.add(new Row(at, "<tspan class=\"p\">$ </tspan>" + "<tspan class=\"c\">" + escaped(cut(each.line()))
                    + "</tspan>"));
            at += 0.4 + Math.min(2.5, each.took().toMillis() / 1000.0);
            for (String line : asOnAnyMachine(each.output(), folder).lines().toList()) {
                rows.add(new Row(at, escaped(cut(line))));
            }
            if (READY.matcher(each.output()).matches()) {
                rows.add(new Row(at + 1, "<tspan class=\"p\">── a second terminal ──</tspan>"));
            }
            at += 1.1;
        }
        return svg(rows, at);
    }

    /** The output with the ports and the folder of a reader. A start is shown from its end. */
    private static String asOnAnyMachine(String output, Path folder) {
        String text = READY.matcher(output).replaceFirst("…\n$1").replace(folder.toString(), "/home/you/wheelhouse");
        for (MatchResult port : PORTS.matcher(output).results().toList()) {
            text = port.group(1) != null
                    ? text.replace(":" + port.group(1), ":7443")
                    : text.replace(":" + port.group(2), ":8080");
        }
        return text.stripTrailing();
    }

    private static String svg(List<Row> rows, double end) {
        int width = (int) (COLUMNS * LETTER) + 32;
        int height = ROWS * LINE + 52;
        StringBuilder steps = new StringBuilder();
        StringBuilder texts = new StringBuilder();
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            texts.append(String.format(Locale.ROOT, "<text y=\"%d\" style=\"animation-delay:%.1fs\">%s</text>%n",
                    (i + 1) * LINE, row.at, row.text));
            // All rows of one time move the picture at once.
            if (i + 1 == rows.size() || rows.get(i + 1).at > row.at) {
                steps.append(String.format(Locale.ROOT, "%.2f%% { transform: translateY(%dpx); }%n",
                        100 * row.at / end, -Math.max(0, i + 1 - ROWS) * LINE));
            }
        }
        int rolled = -Math.max(0, rows.size() - ROWS) * LINE;
        return """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" role="img">
                <title>The first minute with Wheelhouse, in a terminal</title>
                %3$s@keyframes roll {
                0%% { transform: translateY(0); }
                %4$s}
                g { transform: translateY(%5$dpx); animation: roll %6$.1fs step-end backwards; }
                </style>
                <rect width="%1$d" height="%2$d" rx="8" fill="var(--back)" stroke="var(--bar)"/>
                <circle cx="20" cy="18" r="5" fill="var(--bar)"/><circle cx="38" cy="18" r="5" fill="var(--bar)"/>
                <circle cx="56" cy="18" r="5" fill="var(--bar)"/>
                <svg x="16" y="34" width="%7$d" height="%8$d">
                <g>
                %9$s</g>
                </svg>
                </svg>
                """.formatted(width, height, STYLE, steps, rolled, end, width - 32, ROWS * LINE + 6, texts);
    }
}
