package dev.wheelhouse.spring;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AuthenticationV1Api;
import io.kubernetes.client.openapi.apis.AuthorizationV1Api;
import io.kubernetes.client.openapi.models.V1NonResourceAttributes;
import io.kubernetes.client.openapi.models.V1SubjectAccessReview;
import io.kubernetes.client.openapi.models.V1SubjectAccessReviewSpec;
import io.kubernetes.client.openapi.models.V1TokenReview;
import io.kubernetes.client.openapi.models.V1TokenReviewSpec;
import io.kubernetes.client.openapi.models.V1TokenReviewStatus;
import io.kubernetes.client.openapi.models.V1UserInfo;

import dev.wheelhouse.runtime.BoundedMap;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Hashes;

import okhttp3.Call;

/**
 * Authenticates bearer tokens and authorizes their users by reviews on the API server, as the secure port of
 * kube-controller-manager does (upstream: {@code apiserver/pkg/server/options/authentication.go},
 * {@code authorization.go}). An answer is cached for 10 seconds, as upstream. A failed review denies access. A review
 * ends within 3 seconds, and no review is tried for one second after a failure. Thread safe.
 */
final class DelegatedAuth {
    private static final Logger log = LoggerFactory.getLogger(DelegatedAuth.class);
    private static final Duration KEPT = Duration.ofSeconds(10);
    static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int MOST_KEPT = 1000;
    private static final int AT_A_TIME = 10;

    private final ApiClient api;
    private final Clock clock;
    private final Duration patience;
    private final Semaphore slots = new Semaphore(AT_A_TIME);
    private final Map<String, Kept> answers = BoundedMap.byAge(MOST_KEPT);
    private @Nullable Failure lastFailure;

    /**
     * @param who the user; null if access is denied
     * @param why the reason of a denial; empty if access is allowed
     */
    record Answer(@Nullable V1UserInfo who, String why) {
        static Answer denied(String why) {
            return new Answer(null, why);
        }

        /** The name of the user; null if access is denied. */
        @Nullable
        String user() {
            return who == null ? null : who.getUsername();
        }
    }

    /** One or two requests for reviews that together end by a deadline. */
    @FunctionalInterface
    private interface Review {
        Answer ask(long deadline) throws ApiException;
    }

    private record Kept(Answer answer, long until) {}

    private record Failure(Answer answer, long until) {}

    /** @param patience the longest duration of one review; {@link #PATIENCE} in the service */
    DelegatedAuth(ApiClient api, Clock clock, Duration patience) {
        this.api = api;
        this.clock = clock;
        this.patience = patience;
    }

    Clock clock() {
        return clock;
    }

    /** @param verb the HTTP method in lower case, which is the verb of a non-resource request */
    Answer mayGet(String token, String verb, String path) {
        return ask(Hashes.sha256(token) + " " + verb + " " + path, deadline -> review(token, verb, path, deadline));
    }

    /** Whether a user whose identity is known may do what the review asks for. */
    Answer may(V1UserInfo user, V1SubjectAccessReviewSpec asked) {
        return ask(user.getUsername() + " " + user.getUid() + " " + user.getGroups() + " " + user.getExtra() + " "
                + asked.getResourceAttributes() + " " + asked.getNonResourceAttributes(),
                deadline -> authorize(user, asked, deadline));
    }

    private Answer ask(String key, Review review) {
        Answer known = known(key);
        if (known != null) {
            return known;
        }
        long deadline = clock.deadline(patience);
        try {
            if (!slots.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                return Answer.denied("too many tokens are being looked up: try again later");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Answer.denied("the service stops");
        }
        try {
            known = known(key);
            return known != null ? known : keep(key, review.ask(deadline));
        } catch (ApiException e) {
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

    private synchronized Answer failed(ApiException e) {
        Answer answer = Answer.denied(e.getCode() == 403
                ? "this service may not ask the API server whose a token is: let it create "
                        + "tokenreviews.authentication.k8s.io and subjectaccessreviews.authorization.k8s.io"
                : "the API server could not say whose the token is" + (e.getCode() > 0
                        ? ": it answered " + e.getCode()
                        : ": it did not answer"));
        if (lastFailure == null || !lastFailure.answer().equals(answer)) {
            log.warn("the actuator shows no content to bearers of tokens for now: {}", answer.why());
        }
        lastFailure = new Failure(answer, clock.deadline(PAUSE));
        return answer;
    }

    private Answer review(String token, String verb, String path, long deadline) throws ApiException {
        V1TokenReviewStatus status = execute(new AuthenticationV1Api(api)
                .createTokenReview(new V1TokenReview().spec(new V1TokenReviewSpec().token(token))).buildCall(null),
                deadline, V1TokenReview.class).getStatus();
        V1UserInfo user = status == null || !Boolean.TRUE.equals(status.getAuthenticated()) ? null : status.getUser();
        if (user == null) {
            return Answer.denied("the token is nobody's, or no longer valid");
        }
        return authorize(user, ofPath(verb, path), deadline);
    }

    /** The question whether a user may send a request for a path. */
    static V1SubjectAccessReviewSpec ofPath(String verb, String path) {
        return new V1SubjectAccessReviewSpec()
                .nonResourceAttributes(new V1NonResourceAttributes().verb(verb).path(path));
    }

    private Answer authorize(V1UserInfo user, V1SubjectAccessReviewSpec asked, long deadline) throws ApiException {
        V1SubjectAccessReview review = new V1SubjectAccessReview().spec(asked.user(user.getUsername())
                .uid(user.getUid()).groups(user.getGroups()).extra(user.getExtra()));
        var decision = execute(new AuthorizationV1Api(api).createSubjectAccessReview(review).buildCall(null), deadline,
                V1SubjectAccessReview.class).getStatus();
        if (decision != null && Boolean.TRUE.equals(decision.getAllowed())) {
            return new Answer(user, "");
        }
        V1NonResourceAttributes path = asked.getNonResourceAttributes();
        return Answer.denied("User \"" + user.getUsername() + "\" cannot " + (path == null
                ? "do this"
                : path.getVerb() + " path \"" + path.getPath() + "\""));
    }

    private <T> T execute(Call call, long deadline, Class<T> type) throws ApiException {
        call.timeout().timeout(Math.max(1, deadline - clock.nanoTime()), TimeUnit.NANOSECONDS);
        return api.<T>execute(call, type).getData();
    }
}
