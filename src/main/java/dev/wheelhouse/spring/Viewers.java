package dev.wheelhouse.spring;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ResourceAttributes;
import io.kubernetes.client.openapi.models.V1SubjectAccessReviewSpec;
import io.kubernetes.client.openapi.models.V1UserInfo;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.Authenticator;
import dev.wheelhouse.apiserver.auth.UnauthorizedException;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.client.DelegatedAuth;
import dev.wheelhouse.console.Viewer;
import dev.wheelhouse.runtime.Clock;

/** The users who may see contents. */
final class Viewers {
    /** A client on loopback of a server that is open to this machine. The client may do everything. */
    static final Viewer ON_LOOPBACK = new MayAll("loopback");
    /** The owner of this process. The client may do all that the process may do. */
    static final Viewer OWNER = new MayAll("owner");

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private Viewers() {}

    private record MayAll(String getName) implements Viewer {
        @Override
        public boolean may(String verb, ResourceType type, String subresource, String namespace) {
            return true;
        }
    }

    /**
     * A user whom the API server knows. The API server is asked for each right. If the answers for one request together
     * take more than {@link #PATIENCE}, further rights are denied: one view may depend on as many rights as there are
     * namespaces.
     */
    static Viewer of(V1UserInfo user, DelegatedAuth auth) {
        Clock clock = auth.clock();
        return new Viewer() {
            private final AtomicLong waited = new AtomicLong();

            @Override
            public boolean may(String verb, ResourceType type, String subresource, String namespace) {
                return isAllowed(verb, type, subresource, "")
                        || (!namespace.isEmpty() && isAllowed(verb, type, subresource, namespace));
            }

            private boolean isAllowed(String verb, ResourceType type, String subresource, String namespace) {
                if (waited.get() > PATIENCE.toNanos()) {
                    return false;
                }
                long began = clock.nanoTime();
                boolean allowed = auth.may(user, new V1SubjectAccessReviewSpec()
                        .resourceAttributes(new V1ResourceAttributes().verb(verb).group(type.group())
                                .version(type.version()).resource(type.plural()).subresource(subresource)
                                .namespace(namespace)))
                        .user() != null;
                waited.addAndGet(clock.nanoTime() - began);
                return allowed;
            }

            @Override
            public String getName() {
                return String.valueOf(user.getUsername());
            }
        };
    }

    /**
     * The user of a client certificate that the web server has verified; null if it names none.
     */
    static @Nullable V1UserInfo user(X509Certificate certificate) {
        try {
            User user = Authenticator.ofSubject(certificate.getSubjectX500Principal().getName());
            return new V1UserInfo().username(user.name()).groups(user.groups());
        } catch (UnauthorizedException e) {
            return null;
        }
    }
}
