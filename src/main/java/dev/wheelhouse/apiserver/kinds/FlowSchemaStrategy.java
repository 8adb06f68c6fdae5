package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Subject;

/**
 * Flow schemas. The rows of priority levels call the methods too (upstream:
 * {@code pkg/apis/flowcontrol/validation/validation.go}).
 */
final class FlowSchemaStrategy extends Strategy {
    /** The most bits of a flow's hash, from which its hand of queues is dealt. */
    private static final int MOST_BITS = 60;

    FlowSchemaStrategy() {
        super("flowcontrol.apiserver.k8s.io", "FlowSchema");
    }

    static void memberNamespace(Subject name) {
        List<String> wrong = Formats.dnsLabel(name.text());
        wrong.replaceAll(message -> "each member of this list must be '*' or a DNS-1123 label; " + message);
        name.problems().invalid(name.path(), name.text(), wrong);
    }

    static void urlPath(Subject subject) {
        String path = subject.text();
        int star = path.indexOf('*');
        String wrong = path.isEmpty()
                ? "must not be empty"
                : !path.startsWith("/")
                        ? "must start with slash"
                        : path.contains(" ")
                                ? "must not contain white-space"
                                : path.contains("//")
                                        ? "must not contain double slash"
                                        : star >= 0 && (star != path.lastIndexOf('*') || !path.endsWith("/*"))
                                                ? "wildcard can only do suffix matching"
                                                : "";
        if (!wrong.isEmpty()) {
            subject.problems().invalid(subject.path(), path, wrong);
        }
    }

    static void handSize(Subject queuing) {
        long queues = Json.number(queuing.value(), 0, "queues");
        long hand = Json.number(queuing.value(), 0, "handSize");
        String at = queuing.path() + ".handSize";
        if (hand > 0 && hand > queues) {
            queuing.problems().invalid(at, hand, "should not be greater than queues (" + queues + ")");
        } else if (hand > 0 && Math.ceil(Math.log(queues) / Math.log(2) * hand - 1e-9) > MOST_BITS) {
            queuing.problems().invalid(at, hand, "required entropy bits of deckSize " + queues + " and handSize " + hand
                    + " should not be greater than " + MOST_BITS);
        }
    }
}
