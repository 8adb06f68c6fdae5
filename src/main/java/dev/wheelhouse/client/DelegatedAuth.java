package dev.wheelhouse.client;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1NonResourceAttributes;
import io.kubernetes.client.openapi.models.V1SubjectAccessReview;
import io.kubernetes.client.openapi.models.V1SubjectAccessReviewSpec;
import io.kubernetes.client.openapi.models.V1TokenReview;
import io.kubernetes.client.openapi.models.V1TokenReviewSpec;
import io.kubernetes.client.openapi.models.V1TokenReviewStatus;
import io.kubernetes.client.openapi.models.V1UserInfo;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.runtime.BoundedMap;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Hashes;

/**
 * Authenticates bearer tokens and authorizes users by reviews on the API server, as the secure ports of
 * kube-controller-manager and kubelet do (upstream: {@code apiserver/pkg/server/options/authentication.go},
 * {@code authorization.go}). An answer is cached for 10 seconds, as upstream. A failed review denies access, and no
 * review is tried for one second after it. The client's deadlines are those of the reviews. Thread safe.
 */
public final class DelegatedAuth {
    private static final Logger log = LoggerFactory.getLogger(DelegatedAuth.class);
    private static final ResourceType TOKENS = new ResourceType("authentication.k8s.io", "v1", "tokenreviews",
            "TokenReview", false);
    private static final ResourceType RIGHTS = new ResourceType("authorization.k8s.io", "v1", "subjectaccessreviews",
            "SubjectAccessReview", false);
    private static final Duration KEPT = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int MOST_KEPT = 1000;
    private static final int AT_A_TIME = 10;

    private final KubeClient client;
    private final String shows;
    private final Clock clock;
    private final Semaphore slots = new Semaphore(AT_A_TIME);
    private final Map<String, Kept> answers = BoundedMap.byAge(MOST_KEPT);
    private @Nullable Failure lastFailure;

    /**
     * @param who the user; null if access is denied
     * @param why the reason of a denial; empty if access is allowed
     */
    public record Answer(@Nullable V1UserInfo who, String why) {
        static Answer denied(String why) {
            return new Answer(null, why);
        }

        /** The name of the user; null if access is denied. */
        public @Nullable String user() {
            return who == null ? null : who.getUsername();
        }
    }

    private record Kept(Answer answer, long until) {}

    private record Failure(Answer answer, long until) {}

    /** @param shows the beginning of the log line of a failure, such as {@code the actuator shows no content} */
    public DelegatedAuth(KubeClient client, String shows, Clock clock) {
        this.client = client.withoutRetries();
        this.shows = shows;
        this.clock = clock;
    }

    public Clock clock() {
        return clock;
    }

    /** Whether the bearer of a token may send a request for a path. */
    public Answer mayGet(String token, String verb, String path) {
        Answer bearer = bearer(token);
        return bearer.who == null ? bearer : may(bearer.who, ofPath(verb, path));
    }

    /** The user of a token. */
    public Answer bearer(String token) {
        return ask(Hashes.sha256(token), () -> {
            V1TokenReviewStatus status = client.resource(TOKENS, V1TokenReview.class)
                    .create(new V1TokenReview().apiVersion(TOKENS.apiVersion()).kind(TOKENS.kind())
                            .spec(new V1TokenReviewSpec().token(token)))
                    .getStatus();
            V1UserInfo user = status == null || !Boolean.TRUE.equals(status.getAuthenticated())
                    ? null
                    : status.getUser();
            return user == null
                    ? Answer.denied("the token is nobody's, or no longer valid")
                    : new Answer(user, "");
        });
    }

    /** Whether a user whose identity is known may do what the review asks for. */
    public Answer may(V1UserInfo user, V1SubjectAccessReviewSpec asked) {
        return ask(user.getUsername() + " " + user.getUid() + " " + user.getGroups() + " " + user.getExtra() + " "
                + asked.getResourceAttributes() + " " + asked.getNonResourceAttributes(),
                () -> authorize(user, asked));
    }

    private Answer ask(String key, Supplier<Answer> review) {
        Answer known = known(key);
        if (known != null) {
            return known;
        }
        try {
            if (!slots.tryAcquire(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
                return Answer.denied("too many tokens are being looked up: try again later");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Answer.denied("the service stops");
        }
        try {
            known = known(key);
            return known != null ? known : keep(key, review.get());
        } catch (KubeApiException e) {
            return failed(e);
        } finally {
            slots.release();
        }
    }

    private synchronized @Nullable Answer known(String key) {
        Kept kept = answers.get(key);
        if (kept != null && clock.nanoTime() - kept.until() < 0) {
            return kept.answer();
        }
        Failure failure = lastFailure;
        return failure != null && clock.nanoTime() - failure.until() < 0 ? failure.answer() : null;
    }

    private synchronized Answer keep(String key, Answer answer) {
        if (lastFailure != null) {
            lastFailure = null;
            log.info("reviews of bearer tokens succeed again");
        }
        answers.remove(key);
        answers.put(key, new Kept(answer, clock.deadline(KEPT)));
        return answer;
    }

    private synchronized Answer failed(KubeApiException e) {
        Answer answer = Answer.denied(e.code() == 403
                ? "this service may not ask the API server whose a token is: let it create "
                        + "tokenreviews.authentication.k8s.io and subjectaccessreviews.authorization.k8s.io"
                : "the API server could not say whose the token is" + (e.code() > 0
                        ? ": it answered " + e.code()
                        : ": it did not answer"));
        if (lastFailure == null || !lastFailure.answer().equals(answer)) {
            log.warn("{} for now: {}", shows, answer.why());
        }
        lastFailure = new Failure(answer, clock.deadline(PAUSE));
        return answer;
    }

    /** The question whether a user may send a request for a path. */
    public static V1SubjectAccessReviewSpec ofPath(String verb, String path) {
        return new V1SubjectAccessReviewSpec()
                .nonResourceAttributes(new V1NonResourceAttributes().verb(verb).path(path));
    }

    private Answer authorize(V1UserInfo user, V1SubjectAccessReviewSpec asked) {
        V1SubjectAccessReview review = new V1SubjectAccessReview().apiVersion(RIGHTS.apiVersion()).kind(RIGHTS.kind())
                .spec(asked.user(user.getUsername()).uid(user.getUid()).groups(user.getGroups())
                        .extra(user.getExtra()));
        var decision = client.resource(RIGHTS, V1SubjectAccessReview.class).create(review).getStatus();
        if (decision != null && Boolean.TRUE.equals(decision.getAllowed())) {
            return new Answer(user, "");
        }
        V1NonResourceAttributes path = asked.getNonResourceAttributes();
        return Answer.denied("User \"" + user.getUsername() + "\" cannot " + (path == null
                ? "do this"
                : path.getVerb() + " path \"" + path.getPath() + "\""));
    }
}
