package dev.wheelhouse.apiserver.cel;

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
 * A regular expression that a user wrote, in the syntax of RE2, which is Go's: of a schema, or in CEL. A search takes time in proportion to the text
 * and to the {@link #size} of the expression, ends with the deadline of its request, and the size has a bound. Immutable, safe for use by many
 * threads.
 */
public final class UserPattern {
    /** The most characters of an expression: to compile it takes time in proportion to their square. */
    private static final int MOST_CHARACTERS = 10_000;
    /** The most states of the machine that an expression becomes. */
    private static final long MOST_STATES = 20_000;
    /** How often at most something may be repeated by numbers, those of enclosing groups multiplied (Go: {@code regexp/syntax}). */
    private static final int MOST_REPEATS = 1_000;
    /** How deep groups may be nested (Go: {@code regexp/syntax}). */
    private static final int MOST_NESTING = 1_000;
    /** The most states of all expressions that are kept compiled. */
    private static final long MOST_KEPT = 200_000;
    private static final Map<String, UserPattern> KEPT = new ConcurrentHashMap<>();
    private static final AtomicLong KEPT_STATES = new AtomicLong();

    private final Pattern pattern;

    private UserPattern(Pattern pattern) {
        this.pattern = pattern;
    }

    /** An expression that cannot be used; the message is Go's. */
    public static final class PatternException extends Exception {
        private static final long serialVersionUID = 1;

        PatternException(String message) {
            super("error parsing regexp: " + message);
        }
    }

    /** @throws PatternException if it is no expression of RE2, or a too large one */
    public static UserPattern of(String expression) throws PatternException {
        UserPattern kept = KEPT.get(expression);
        if (kept != null) {
            return kept;
        }
        Sizing.check(expression);
        try {
            UserPattern made = new UserPattern(Pattern.compile(expression));
            if (KEPT_STATES.addAndGet(made.size()) > MOST_KEPT) {
                KEPT.clear();
                KEPT_STATES.set(made.size());
            }
            KEPT.put(expression, made);
            return made;
        } catch (PatternSyntaxException e) {
            throw new PatternException(e.getDescription()
                    + (e.getPattern() == null || e.getPattern().isEmpty() ? "" : ": `" + e.getPattern() + "`"));
        }
    }

    /** Whether a text has a part that matches. */
    public boolean isIn(String text) {
        return pattern.matcher(new Text(text)).find();
    }

    /** The parts of a text that match, one after the other. @param most negative for all */
    List<String> findAll(String text, long most) {
        Matcher matcher = pattern.matcher(new Text(text));
        List<String> found = new ArrayList<>();
        while ((most < 0 || found.size() < most) && matcher.find()) {
            found.add(text.substring(matcher.start(), matcher.end()));
        }
        return found;
    }

    /** The states of its machine: a search visits each at most once for each character. */
    int size() {
        return pattern.programSize();
    }

    /** A text that cannot be read past the deadline. */
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

    /** Measures an expression without building what it stands for. Whether it is one at all is for the compiler to say. */
    private static final class Sizing {
        private final String text;
        private int at;

        /** A group that is open. */
        private static final class Group {
            /** The states of the group so far, and of its last part, which a repetition is about. */
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
            if (expression.length() > MOST_CHARACTERS) {
                throw new PatternException("expression too large: it has " + expression.length() + " characters, and "
                        + MOST_CHARACTERS + " are the most");
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
                        if (open.size() > MOST_NESTING) {
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
                if (group.states + group.last > MOST_STATES) {
                    throw new PatternException("expression too large: it stands for more than " + MOST_STATES
                            + " states");
                }
            }
        }

        private void skipClass() {
            at += text.startsWith("^", at) ? 1 : 0;
            at++; // A bracket that comes first is one of the characters.
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
                group.part(1, 1); // No repetition: the brace stands for itself.
                return;
            }
            at = end + 1;
            if ((long) most * group.lastRepeats > MOST_REPEATS) {
                throw new PatternException("invalid repeat count: `{" + counts + "}`");
            }
            group.last *= Math.max(1, most);
            group.lastRepeats *= Math.max(1, most);
        }

        /** Negative if it is none. */
        private static int number(String digits) {
            if (digits.isEmpty() || digits.length() > 9 || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
                return digits.chars().allMatch(c -> c >= '0' && c <= '9') && !digits.isEmpty()
                        ? Integer.MAX_VALUE
                        : -1;
            }
            return Integer.parseInt(digits);
        }
    }
}
