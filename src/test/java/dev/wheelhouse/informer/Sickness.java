package dev.wheelhouse.informer;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.zip.GZIPOutputStream;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The ways in which {@link HostileServer} is sick. A server that answers writes with success and executes none of them
 * is not among them, because no client can notice it.
 */
enum Sickness {
    REFUSES_CONNECTIONS(always(HostileServer.Exchange::reset)),
    ACCEPTS_AND_NEVER_ANSWERS(always(HostileServer.Exchange::untilHealthy)),
    CUTS_IN_THE_MIDDLE(always(Sickness::cutsInTheMiddle)),
    DRIPS(always(Sickness::drips)),
    ANSWERS_500_BY_A_PAGE(always(Sickness::answers500ByAPage)),
    ASKS_TO_WAIT_FOR_A_DAY(always(Sickness::asksToWaitForADay)),
    ANSWERS_WITH_AN_EMPTY_BODY(always(e -> e.json("200 OK", ""))),
    ANSWERS_WITH_GARBAGE(always(Sickness::answersWithGarbage)),
    LISTS_NOTHING(lists(list -> ((ArrayNode) list.path("items")).removeAll())),
    LISTS_HALF(lists(Sickness::listsHalf)),
    ENDS_WATCHES_AT_ONCE(watches(HostileServer.Exchange::headOfStream)),
    TELLS_EVENTS_AGAIN_AND_OUT_OF_ORDER(watches(events(Sickness::tellsAgain))),
    SAYS_EXPIRED_FOR_EVER(where(Sickness::isOfAVersion, Sickness::saysExpired)),
    WATCHES_BRING_BOOKMARKS_ALONE(watches(Sickness::watchesBringBookmarksAlone)),
    KNOWS_NOBODY(always(Sickness::knowsNobody)),
    FORBIDS_EVERYTHING(always(Sickness::forbidsEverything)),
    SENDS_WITHOUT_AN_END(where(Sickness::isWatchOrOfConfigMaps, Sickness::sendsWithoutAnEnd)),
    SENDS_A_HEADER_WITHOUT_AN_END(always(Sickness::sendsAHeaderWithoutAnEnd)),
    SENDS_OBJECTS_OF_OTHER_KINDS(either(watches(events(Sickness::otherEvents)), lists(Sickness::otherItems))),
    GOES_BACK_IN_TIME(lists(Sickness::goesBackInTime)),
    REDIRECTS(always(Sickness::redirects)),
    SENDS_GZIP_BOMBS(always(Sickness::sendsGzipBombs)),
    FORGETS_GROUPS(where(Sickness::isOfGroups, e -> rewrite(e, Sickness::forgetGroups))),
    DOES_AND_SAYS_500(where(HostileServer.Request::isWrite, Sickness::doesAndSays500)),
    DOES_AND_SAYS_NOTHING(where(HostileServer.Request::isWrite, Sickness::doesAndSaysNothing));

    private final Symptom symptom;

    Sickness(Symptom symptom) {
        this.symptom = symptom;
    }

    private interface Symptom {
        boolean befalls(HostileServer.Exchange e) throws IOException;
    }

    private interface Act {
        void on(HostileServer.Exchange e) throws IOException;
    }

    private static Symptom where(Predicate<HostileServer.Request> condition, Act act) {
        return e -> {
            boolean meant = condition.test(e.request);
            if (meant) {
                act.on(e);
            }
            return meant;
        };
    }

    private static Symptom either(Symptom one, Symptom other) {
        return e -> one.befalls(e) || other.befalls(e);
    }

    private static Symptom always(Act act) {
        return where(request -> true, act);
    }

    private static Symptom watches(Act act) {
        return where(HostileServer.Request::isWatch, act);
    }

    private static Symptom lists(Change change) {
        return where(HostileServer.Request::isList, e -> rewrite(e, change));
    }

    /** Sends up to so many mebibytes. */
    private static void flood(HostileServer.Exchange e, int mebibytes) throws IOException {
        byte[] piece = "x".repeat(64 * 1024).getBytes(StandardCharsets.US_ASCII);
        for (int sent = 0; sent < mebibytes * 1024 * 1024 && !e.isHealthy(); sent += piece.length) {
            e.out().write(piece);
        }
    }

    /** Lets the server execute the request, and drops its answer. */
    private static void discard(HostileServer.Exchange e) throws IOException {
        try (HostileServer.Answer answer = e.forward()) {
            answer.body.readAllBytes();
        }
    }

    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * Treats a request as this sickness does.
     *
     * @return whether it answered or cut the connection; if not, the request is to be answered as usual
     */
    boolean befalls(HostileServer.Exchange e) throws IOException {
        return symptom.befalls(e);
    }

    /**
     * Whether it lies about what there is, so that a controller that believes it makes what is there, or ends what is
     * too much.
     */
    boolean lies() {
        return this == LISTS_NOTHING || this == LISTS_HALF;
    }

    private static final class Bomb {
        static final byte[] BYTES = bytes();

        private static byte[] bytes() {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
                byte[] zeros = " ".repeat(1024 * 1024).getBytes(StandardCharsets.US_ASCII);
                for (int i = 0; i < 200; i++) {
                    out.write(zeros);
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            return bytes.toByteArray();
        }
    }

    private interface Change {
        void to(ObjectNode document);
    }

    private static void rewrite(HostileServer.Exchange e, Change change) throws IOException {
        try (HostileServer.Answer answer = e.forward()) {
            byte[] body = answer.body.readAllBytes();
            if (answer.isGood()) {
                JsonNode document = JSON.readTree(body);
                if (document instanceof ObjectNode object && (object.path("items").isArray()
                        || object.path("groups").isArray())) {
                    change.to(object);
                    body = JSON.writeValueAsBytes(object);
                }
            }
            String type = answer.head.replaceFirst("(?is).*\r\nContent-Type: ([^\r]*)\r\n.*", "$1");
            e.answer(answer.head.substring(9, answer.head.indexOf('\r')), "Content-Type: " + type + "\r\n", body);
        }
    }

    private interface Events {
        void tell(String line, Deque<String> before, Lines out) throws IOException;
    }

    private interface Lines {
        void write(String line) throws IOException;
    }

    private static Act events(Events how) {
        return e -> {
            try (HostileServer.Answer answer = e.forward()) {
                if (!answer.isGood()) {
                    e.relay(answer);
                    return;
                }
                e.headOfStream();
                Deque<String> before = new ArrayDeque<>();
                BufferedReader lines = new BufferedReader(new InputStreamReader(answer.body, StandardCharsets.UTF_8));
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    how.tell(line + "\n", before, text -> e.out().write(text.getBytes(StandardCharsets.UTF_8)));
                    e.out().flush();
                    before.addFirst(line + "\n");
                    if (before.size() > 20) {
                        before.removeLast();
                    }
                }
            }
        };
    }

    private static void cutsInTheMiddle(HostileServer.Exchange e) throws IOException {
        try (HostileServer.Answer answer = e.forward()) {
            byte[] some = answer.body.readNBytes(ThreadLocalRandom.current().nextInt(1, 3000));
            e.out().write((answer.head + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
            e.out().write(some, 0, some.length * 9 / 10);
            e.out().flush();
        }
        e.reset();
    }

    private static void drips(HostileServer.Exchange e) throws IOException {
        try (HostileServer.Answer answer = e.forward()) {
            e.out().write((answer.head + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
            for (int b = answer.body.read(); b >= 0 && !e.isHealthy(); b = answer.body.read()) {
                e.out().write(b);
                e.out().flush();
                LockSupport.parkNanos(1_000_000_000L);
            }
        }
    }

    private static void answers500ByAPage(HostileServer.Exchange e) throws IOException {
        e.answer("500 Internal Server Error", "Content-Type: text/html\r\n",
                "<html><body><h1>It works!</h1>".repeat(100).getBytes(StandardCharsets.UTF_8));
    }

    private static void asksToWaitForADay(HostileServer.Exchange e) throws IOException {
        e.answer("429 Too Many Requests",
                "Retry-After: 86400\r\nContent-Type: application/json\r\n", """
                        {"kind":"Status","code":429,"details":{"retryAfterSeconds":99999999999999}}"""
                        .getBytes(StandardCharsets.UTF_8));
    }

    private static void answersWithGarbage(HostileServer.Exchange e) throws IOException {
        e.json("200 OK", switch (ThreadLocalRandom.current().nextInt(5)) {
            case 0 -> "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[{\"metadata\":{\"na";
            case 1 -> "\0\1\2\u00ff{]}\n\n[[[[[[[[";
            case 2 -> "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\"}";
            case 3 -> "null";
            default -> "{\"type\":\"ADDED\",\"object\":{\"metadata\":{}}}\n{\"type\":\"NEW\"}\nx\n".repeat(300);
        });
    }

    private static void listsHalf(ObjectNode list) {
        ArrayNode items = (ArrayNode) list.path("items");
        for (int i = items.size() - 1; i >= 0; i -= 2) {
            items.remove(i);
        }
    }

    private static void tellsAgain(String line, Deque<String> before, Lines out) throws IOException {
        out.write(line);
        if (!before.isEmpty()) {
            for (String old : before) {
                out.write(old);
            }
            out.write(line);
        }
    }

    private static boolean isOfAVersion(HostileServer.Request request) {
        return request.isWatch() || request.isList() && request.query().contains("resourceVersion=");
    }

    private static void saysExpired(HostileServer.Exchange e) throws IOException {
        e.json("410 Gone", """
                {"kind":"Status","code":410,"reason":"Expired","message":"too old"}""");
    }

    private static void watchesBringBookmarksAlone(HostileServer.Exchange e) throws IOException {
        String version = e.request.query().replaceFirst(".*?resourceVersion=(\\d+).*", "$1");
        e.headOfStream();
        while (!e.isHealthy()) {
            e.out().write(("{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"" + version
                    + "\"}}}\n").getBytes(StandardCharsets.UTF_8));
            e.out().flush();
            LockSupport.parkNanos(50_000_000);
        }
    }

    private static void knowsNobody(HostileServer.Exchange e) throws IOException {
        e.json("401 Unauthorized", """
                {"kind":"Status","code":401,"reason":"Unauthorized"}""");
    }

    private static void forbidsEverything(HostileServer.Exchange e) throws IOException {
        e.json("403 Forbidden", """
                {"kind":"Status","code":403,"reason":"Forbidden","message":"User \\"manager\\" cannot do anything"}""");
    }

    private static boolean isWatchOrOfConfigMaps(HostileServer.Request request) {
        return request.isWatch() || request.path().contains("configmaps");
    }

    private static void sendsWithoutAnEnd(HostileServer.Exchange e) throws IOException {
        e.headOfStream();
        e.out().write(
                "{\"type\":\"ADDED\",\"items\":[{\"metadata\":{\"name\":\"".getBytes(StandardCharsets.US_ASCII));
        flood(e, 40);
    }

    private static void sendsAHeaderWithoutAnEnd(HostileServer.Exchange e) throws IOException {
        e.out().write("HTTP/1.1 200 OK\r\nX: ".getBytes(StandardCharsets.US_ASCII));
        flood(e, 4);
    }

    private static void otherEvents(String line, Deque<String> before, Lines out) throws IOException {
        out.write("{\"type\":\"MODIFIED\",\"object\":null}\n");
        out.write("""
                {"type":"MODIFIED","object":{"kind":"Teapot","apiVersion":"v7","metadata":{"name":"x"}}}
                """);
        out.write("{\"type\":\"DELETED\",\"object\":{\"metadata\":{\"name\":[1]}}}\n");
        out.write(line.replaceFirst("\"metadata\":\\{", "\"tea\":{\"pot\":[null]},\"metadata\":{\"new\":7,"));
    }

    private static void otherItems(ObjectNode list) {
        ArrayNode items = (ArrayNode) list.path("items");
        items.addNull().addObject().put("kind", "Teapot").putObject("metadata").put("name", 7);
        items.add(42).addObject();
    }

    private static void goesBackInTime(ObjectNode list) {
        ((ArrayNode) list.path("items")).removeAll();
        ((ObjectNode) list.path("metadata")).put("resourceVersion",
                ThreadLocalRandom.current().nextBoolean() ? "" : "1");
    }

    private static void redirects(HostileServer.Exchange e) throws IOException {
        int code = ThreadLocalRandom.current().nextBoolean() ? 302 : 307;
        e.answer(code + " Elsewhere", "Location: http://127.0.0.1:" + e.elsewhere() + e.request.path() + "\r\n",
                new byte[0]);
    }

    private static void sendsGzipBombs(HostileServer.Exchange e) throws IOException {
        e.answer("200 OK",
                "Content-Type: application/json\r\nContent-Encoding: gzip\r\n", Bomb.BYTES);
    }

    private static boolean isOfGroups(HostileServer.Request request) {
        return request.isDiscovery() && request.path().equals("/apis");
    }

    private static void forgetGroups(ObjectNode document) {
        for (String list : new String[]{"items", "groups"}) {
            if (document.path(list) instanceof ArrayNode groups) {
                for (int i = groups.size() - 1; i >= 0; i--) {
                    String group = groups.get(i).path("metadata").path("name").asString("")
                            + groups.get(i).path("name").asString("");
                    if (group.equals("apps") || group.equals("batch")) {
                        groups.remove(i);
                    }
                }
            }
        }
    }

    private static void doesAndSays500(HostileServer.Exchange e) throws IOException {
        discard(e);
        e.json("500 Internal Server Error", """
                {"kind":"Status","code":500,"reason":"InternalError","message":"etcdserver: request timed out"}""");
    }

    private static void doesAndSaysNothing(HostileServer.Exchange e) throws IOException {
        discard(e);
        e.reset();
    }
}
