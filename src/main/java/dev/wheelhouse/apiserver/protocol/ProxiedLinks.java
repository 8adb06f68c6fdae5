package dev.wheelhouse.apiserver.protocol;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes the links in the answers of a server lead to it through this one (upstream:
 * {@code apimachinery/pkg/util/proxy/transport.go}). Pure.
 *
 * @param proxy the encoded path below which this server shows the other one
 * @param authority the host and port of the other one
 * @param host the host and port by which the client calls this one
 */
public record ProxiedLinks(String proxy, String authority, String host) {
    /** The scheme and host, which may be missing, the path from the root, and the rest. */
    private static final Pattern URL = Pattern.compile("(?is)(?:((?:https?:)?//)([^/?#]*))?(/[^?#]*)([?#].*)?");
    /** The begin of a comment, or a tag with its attributes. The texts in quotes are limited to bound the work. */
    private static final Pattern TAG = Pattern.compile(
            "<!--|<([a-zA-Z][a-zA-Z0-9]*+)((?:[^<>\"']++|\"[^\"]{0,4000}+\"|'[^']{0,4000}+')*+)>");
    private static final Pattern ATTRIBUTE = Pattern.compile(
            "(?<=\\s)([a-zA-Z]++)(\\s*+=\\s*+[\"']?+)((?<=\")[^\"]*+|(?<=')[^']*+|[^\\s\"'>]++)");
    private static final Set<String> LINKS = Set.of("a href", "applet codebase", "area href", "audio src", "base href",
            "blockquote cite", "body background", "button formaction", "command icon", "del cite", "embed src",
            "form action", "frame longdesc", "frame src", "head profile", "html manifest", "iframe longdesc",
            "iframe src", "img longdesc", "img src", "img usemap", "input src", "input usemap", "input formaction",
            "ins cite", "link href", "object classid", "object codebase", "object data", "object usemap", "q cite",
            "script src", "source src", "video poster", "video src");
    private static final Set<String> WITHOUT_TAGS = Set.of("script", "style");
    /** How much of a page is looked at together, in bytes. */
    private static final int PIECE = 64 * 1024;

    /** A link that leads through this server, if it leads to the other one. */
    public String led(String link) {
        Matcher url = URL.matcher(link);
        if (!url.matches() || url.group(2) != null && !url.group(2).equals(authority) && !url.group(2).equals(host)) {
            return link;
        }
        String path = url.group(3);
        return (host.equals(url.group(2)) ? url.group(1) + host : "")
                + (path.startsWith(proxy) ? path : proxy + clean(path)) + (url.group(4) == null ? "" : url.group(4));
    }

    /** A part of a page in HTML, with its links led. */
    String page(String text) {
        StringBuilder page = new StringBuilder(text.length() + PIECE / 16);
        Matcher tag = TAG.matcher(text);
        int copied = 0;
        int from = 0;
        while (from >= 0 && tag.find(from)) {
            if (tag.group(1) == null) {
                from = text.indexOf("-->", tag.end());
                continue;
            }
            String name = tag.group(1).toLowerCase(Locale.ROOT);
            page.append(text, copied, tag.start(2)).append(ATTRIBUTE.matcher(tag.group(2)).replaceAll(found -> {
                boolean link = LINKS.contains(name + " " + found.group(1).toLowerCase(Locale.ROOT));
                return Matcher.quoteReplacement(
                        found.group(1) + found.group(2) + (link ? led(found.group(3)) : found.group(3)));
            }));
            copied = tag.end(2);
            from = WITHOUT_TAGS.contains(name) ? text.indexOf("</" + tag.group(1), copied) : tag.end();
        }
        return page.append(text, copied, text.length()).toString();
    }

    /** Writes pages in HTML with their links led. The last bytes are written when it is closed. */
    public OutputStream inPages(OutputStream to) {
        return new FilterOutputStream(to) {
            private final StringBuilder held = new StringBuilder();

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                held.append(new String(bytes, offset, length, StandardCharsets.ISO_8859_1));
                if (held.length() > PIECE) {
                    int tag = held.lastIndexOf("<");
                    write(tag > 0 ? tag : held.length());
                }
            }

            @Override
            public void write(int length) throws IOException {
                out.write(page(held.substring(0, length)).getBytes(StandardCharsets.ISO_8859_1));
                held.delete(0, length);
            }

            @Override
            public void close() throws IOException {
                write(held.length());
                super.close();
            }
        };
    }

    /** A path without empty parts and dots, as Go's {@code path.Clean} makes it, but a slash at its end stays. */
    public static String clean(String path) {
        Deque<String> parts = new ArrayDeque<>();
        for (String part : path.split("/")) {
            if (part.equals("..")) {
                parts.pollLast();
            } else if (!part.isEmpty() && !part.equals(".")) {
                parts.add(part);
            }
        }
        return "/" + String.join("/", parts) + (path.endsWith("/") && !parts.isEmpty() ? "/" : "");
    }
}
