package dev.wheelhouse.spring;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.core.Ordered;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.util.UriUtils;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1UserInfo;

import tools.jackson.databind.json.JsonMapper;

import dev.wheelhouse.apiserver.WebPages;
import dev.wheelhouse.client.DelegatedAuth;
import dev.wheelhouse.client.http.ContentType;
import dev.wheelhouse.client.http.HttpDeadlines;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Host;

/**
 * Restricts access to the actuator and to the console. Requests from web pages of other servers are refused
 * ({@link WebPages}). Every other client may read the paths that are for all, such as the actuator's endpoints in
 * {@link #ACTUATOR_FOR_ALL}, which show names and reasons. The content of objects, details of health, and all other
 * paths and methods need authorization. A client on loopback is authorized if the embedded API server is open to
 * loopback as well; any other client needs a bearer token or a client certificate whose user may get the path
 * ({@link DelegatedAuth}). This filter gives a {@link HttpServletRequest#getUserPrincipal() principal} to authorized
 * requests only, and the endpoints decide by it what to show.
 */
final class ManagementGuard implements Filter {
    /** The endpoints of the actuator that all clients may read. */
    static final Set<String> ACTUATOR_FOR_ALL = Set.of("", "health", "info", "prometheus", "metrics", "informers",
            "podsources", "plan");
    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");
    private static final Set<String> OF_PROXIES = Set.of("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via");
    private static final Pattern LOOPBACK = Pattern.compile("127\\..*|0:0:0:0:0:0:0:1(%.*)?|::1(%.*)?");
    private static final String REMEDY = "name the host with --wheelhouse.management.hosts=HOST,...";

    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final String basePath;
    private final Set<String> forAll;
    private final boolean trustsLoopback;
    private final @Nullable OwnerToken owner;
    private final DelegatedAuth auth;
    private final WebPages onLoopback;
    private final WebPages beyond;

    /**
     * @param basePath the base path of what is guarded; empty if the port serves nothing else
     * @param forAll the first segments after it that all clients may read
     * @param trustsLoopback whether a client on loopback is authorized without a token
     * @param owner the token of the owner of this process; null if there is none
     * @param hosts the names by which clients may call the actuator
     * @param hostName a further name, for clients on other machines
     */
    ManagementGuard(String basePath, Set<String> forAll, boolean trustsLoopback, @Nullable OwnerToken owner,
            Collection<String> hosts, String hostName, DelegatedAuth auth) {
        this.basePath = basePath;
        this.forAll = forAll;
        this.trustsLoopback = trustsLoopback;
        this.owner = owner;
        this.auth = auth;
        this.onLoopback = WebPages.ofOpenServer(false, hosts, REMEDY);
        this.beyond = WebPages.ofOpenServer(true, Stream.concat(hosts.stream(), Stream.of(hostName)).toList(), REMEDY);
    }

    /**
     * A guard of the port's requests that have a pattern. The first request makes it, because it needs the API server,
     * which starts after the web server.
     */
    static FilterRegistrationBean<Filter> registration(String name, String pattern, String basePath, Set<String> forAll,
            ObjectProvider<WheelhouseProperties> properties, ObjectProvider<ApiServerConnection> connections,
            Supplier<@Nullable OwnerToken> owner, Clock clock) {
        SingletonSupplier<ManagementGuard> guard = SingletonSupplier.of(() -> {
            ApiServerConnection connection = connections.getObject();
            return new ManagementGuard(basePath, forAll, connection.isOpenToLoopback(), owner.get(),
                    properties.getObject().management().hosts(), Host.name(),
                    reviews(connection.api(), clock));
        });
        FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(
                (request, response, chain) -> guard.obtain().doFilter(request, response, chain));
        registration.setName(name);
        registration.addUrlPatterns(pattern);
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return registration;
    }

    /** Reviews that end within 3 seconds. */
    static DelegatedAuth reviews(ApiClient api, Clock clock) {
        return new DelegatedAuth(new HttpKubeClient(api, new HttpDeadlines(PATIENCE, PATIENCE, PATIENCE), "wheelhouse",
                ContentType.JSON, clock), "the actuator shows no content to bearers of tokens", clock);
    }

    @Override
    public void doFilter(ServletRequest asked, ServletResponse answer, FilterChain chain)
            throws IOException, ServletException {
        HttpServletRequest request = (HttpServletRequest) asked;
        HttpServletResponse response = (HttpServletResponse) answer;
        String raw = UriUtils.decode(request.getRequestURI(), StandardCharsets.UTF_8);
        String path = request.getContextPath() + request.getServletPath()
                + Objects.requireNonNullElse(request.getPathInfo(), "");
        if (!raw.contains(basePath) && !path.contains(basePath)) {
            chain.doFilter(request, response);
            return;
        }
        if (!raw.equals(path)) {
            // Spring and this filter could read different endpoints from such a path.
            refuse(response, 400, "the path is not in its shortest form");
            return;
        }
        WebPages.Refusal ofPages = (isLoopback(request.getLocalAddr()) ? onLoopback : beyond).refusal(request);
        if (ofPages != null) {
            refuse(response, ofPages.code(), ofPages.message());
            return;
        }
        Guarded guarded = new Guarded(request, response, path);
        if ((!forAll.contains(endpoint(path)) || !READING.contains(request.getMethod()))
                && guarded.getUserPrincipal() == null) {
            boolean anonymous = request.getHeader("Authorization") == null;
            refuse(response, anonymous ? 401 : 403, guarded.why);
            return;
        }
        chain.doFilter(guarded, response);
    }

    private String endpoint(String path) {
        String rest = path.substring(path.indexOf(basePath) + basePath.length());
        String id = rest.startsWith("/") ? rest.substring(1) : rest;
        int slash = id.indexOf('/');
        return slash < 0 ? id : id.substring(0, slash);
    }

    private static boolean isLoopback(@Nullable String address) {
        return address != null && LOOPBACK.matcher(address).matches();
    }

    private static void refuse(HttpServletResponse response, int code, String problem) throws IOException {
        response.setStatus(code);
        response.setContentType("application/json");
        response.setHeader("Cache-Control", "no-cache, private");
        response.getOutputStream().write(JsonMapper.shared().writeValueAsBytes(Map.of("problem", problem)));
    }

    /** A request that is authenticated and authorized when its principal is asked for. */
    private final class Guarded extends HttpServletRequestWrapper {
        private final HttpServletResponse response;
        private final String path;
        private @Nullable Principal viewer;
        private boolean decided;
        private String why = "";

        private Guarded(HttpServletRequest request, HttpServletResponse response, String path) {
            super(request);
            this.response = response;
            this.path = path;
        }

        @Override
        public @Nullable Principal getUserPrincipal() {
            if (!decided) {
                decided = true;
                viewer = decide();
                if (viewer == null && getHeader("Authorization") != null && !response.isCommitted()) {
                    response.setHeader("Warning", "299 - \"" + why.replace('"', '\'').replaceAll("[^ -~]", "?") + "\"");
                }
            }
            return viewer;
        }

        private @Nullable Principal decide() {
            boolean onThisMachine = isLoopback(getRemoteAddr()) && isLoopback(getLocalAddr())
                    && OF_PROXIES.stream().allMatch(header -> getHeader(header) == null);
            if (trustsLoopback && onThisMachine) {
                return Viewers.ON_LOOPBACK;
            }
            V1UserInfo certified = certified();
            if (certified != null && getHeader("Authorization") == null) {
                return viewer(auth.may(certified, DelegatedAuth.ofPath(verb(), path)));
            }
            String[] credentials = Objects.requireNonNullElse(getHeader("Authorization"), "").strip().split(" +", 2);
            if (credentials.length < 2 || !credentials[0].equalsIgnoreCase("bearer")) {
                why = "this is shown to those whose token lets them " + verb() + " the path " + path
                        + ": send the header Authorization: Bearer TOKEN, of kubectl create token NAME";
                return null;
            }
            if (owner != null && onThisMachine && owner.is(credentials[1])) {
                return Viewers.OWNER;
            }
            return viewer(auth.mayGet(credentials[1], verb(), path));
        }

        private @Nullable Principal viewer(DelegatedAuth.Answer answer) {
            why = answer.why();
            return answer.who() == null ? null : Viewers.of(answer.who(), auth);
        }

        /** The user of the client certificate that the web server has verified; null if there is none. */
        private @Nullable V1UserInfo certified() {
            return getAttribute("jakarta.servlet.request.X509Certificate") instanceof X509Certificate[] chain
                    && chain.length > 0 ? Viewers.user(chain[0]) : null;
        }

        private String verb() {
            return getMethod().toLowerCase(Locale.ROOT);
        }

        @Override
        public boolean isUserInRole(String role) {
            return false;
        }
    }
}
