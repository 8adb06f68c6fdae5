package dev.wheelhouse.cel;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

import dev.wheelhouse.apiserver.work.Deadline;

/**
 * A regular expression from a user, of a schema or in CEL, in the syntax of RE2, as Go has it. A search takes time in
 * proportion to the text and the {@link #size} of the expression, which is limited, and ends with the request's
 * deadline. Compiled expressions are cached, up to a total size. Immutable, thread safe.
 */
public final class UserPattern {
    /** The most characters of an expression. Compilation takes time quadratic in them. */
    private static final int MAX_CHARACTERS = 10_000;
    /** The most states of a compiled expression. */
    private static final long MAX_STATES = 20_000;
    /** The highest repeat count, multiplied by those of enclosing groups (Go: {@code regexp/syntax}). */
    private static final int MAX_REPEATS = 1_000;
    /** The deepest nesting of groups (Go: {@code regexp/syntax}). */
    private static final int MAX_NESTING = 1_000;
    /** The most states of all cached expressions. */
    private static final long MAX_CACHED_STATES = 200_000;
    private static final Map<String, UserPattern> CACHE = new ConcurrentHashMap<>();
    private static final AtomicLong CACHED_STATES = new AtomicLong();

    private final Pattern pattern;

    private UserPattern(Pattern pattern) {
        this.pattern = pattern;
    }

    /** An expression that cannot be used. The message is Go's. */
    public static final class PatternException extends Exception {
        PatternException(String message) {
            super("error parsing regexp: " + message);
        }
    }

    /** @throws PatternException if the text is not an RE2 expression, or is too large */
    public static UserPattern of(String expression) throws PatternException {
        UserPattern cached = CACHE.get(expression);
        if (cached != null) {
            return cached;
        }
        Sizing.check(expression);
        try {
            UserPattern made = new UserPattern(Pattern.compile(expression));
            if (CACHED_STATES.addAndGet(made.size()) > MAX_CACHED_STATES) {
                CACHE.clear();
                CACHED_STATES.set(made.size());
            }
            CACHE.put(expression, made);
            return made;
        } catch (PatternSyntaxException e) {
            throw new PatternException(e.getDescription()
                    + (e.getPattern() == null || e.getPattern().isEmpty() ? "" : ": `" + e.getPattern() + "`"));
        }
    }

    /** Whether a part of the text matches. */
    public boolean isIn(String text) {
        return pattern.matcher(new Text(text)).find();
    }

    /** The first parts of a text that match, from left to right; all if {@code most} is negative. */
    List<String> findAll(String text, long most) {
        Matcher matcher = pattern.matcher(new Text(text));
        List<String> found = new ArrayList<>();
        while ((most < 0 || found.size() < most) && matcher.find()) {
            found.add(text.substring(matcher.start(), matcher.end()));
        }
        return found;
    }

    /** The number of states. A search visits each at most once per character. */
    int size() {
        return pattern.programSize();
    }

    /** A text whose reading ends with the request's deadline. */
    private record Text(String text) implements CharSequence {
        @Override
        public int length() {
            return text.length();
        }

        @Override
        public char charAt(int index) {
            Deadline.check();
            return text.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.substring(start, end);
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** Estimates the size of an expression without compiling it. The compiler finds errors of syntax. */
    private static final class Sizing {
        private final String text;
        private int at;

        /** An open group. */
        private static final class Group {
            /** The states of the group without its last part, and of this part, which a repetition applies to. */
            long states;
            long last;
            int repeats = 1;
            int lastRepeats = 1;

            void part(long size, int repeated) {
                states += last;
                repeats = Math.max(repeats, lastRepeats);
                last = size;
                lastRepeats = repeated;
            }
        }

        private Sizing(String text) {
            this.text = text;
        }

        static void check(String expression) throws PatternException {
            if (expression.length() > MAX_CHARACTERS) {
                throw new PatternException("expression too large: it has " + expression.length()
                        + " characters, more than " + MAX_CHARACTERS);
            }
            new Sizing(expression).run();
        }

        private void run() throws PatternException {
            Deque<Group> open = new ArrayDeque<>();
            Group group = new Group();
            while (at < text.length()) {
                char c = text.charAt(at++);
                switch (c) {
                    case '(' -> {
                        open.push(group);
                        group = new Group();
                        if (open.size() > MAX_NESTING) {
                            throw new PatternException("expression nests too deeply");
                        }
                    }
                    case ')' -> {
                        if (!open.isEmpty()) {
                            group.part(0, 1);
                            Group outer = open.pop();
                            outer.part(group.states + 2, group.repeats);
                            group = outer;
                        }
                    }
                    case '[' -> {
                        skipClass();
                        group.part(1, 1);
                    }
                    case '\\' -> {
                        at++;
                        group.part(1, 1);
                    }
                    case '{' -> repeat(group);
                    default -> group.part(1, 1);
                }
                if (group.states + group.last > MAX_STATES) {
                    throw new PatternException("expression too large: it compiles to more than " + MAX_STATES
                            + " states");
                }
            }
        }

        private void skipClass() {
            at += text.startsWith("^", at) ? 1 : 0;
            at++; // A closing bracket in the first place is a character of the class.
            while (at < text.length() && text.charAt(at) != ']') {
                at += text.charAt(at) == '\\' ? 2 : text.startsWith("[:", at) ? posixClass() : 1;
            }
            at++;
        }

        private int posixClass() {
            int end = text.indexOf(":]", at);
            return end < 0 || end > at + 12 ? 1 : end + 2 - at;
        }

        private void repeat(Group group) throws PatternException {
            int end = text.indexOf('}', at);
            if (end < 0 || end - at > 20) {
                group.part(1, 1);
                return;
            }
            String counts = text.substring(at, end);
            int comma = counts.indexOf(',');
            int most = number(comma < 0 || comma == counts.length() - 1
                    ? counts.substring(0, comma < 0 ? counts.length() : comma)
                    : counts.substring(comma + 1));
            if (most < 0) {
                group.part(1, 1); // Not a repetition: the brace is a plain character.
                return;
            }
            at = end + 1;
            if ((long) most * group.lastRepeats > MAX_REPEATS) {
                throw new PatternException("invalid repeat count: `{" + counts + "}`");
            }
            group.last *= Math.max(1, most);
            group.lastRepeats *= Math.max(1, most);
        }

        /** Negative if the text is not a number. */
        private static int number(String text) {
            if (text.isEmpty() || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
                return -1;
            }
            return text.length() > 9 ? Integer.MAX_VALUE : Integer.parseInt(text);
        }
    }
}
