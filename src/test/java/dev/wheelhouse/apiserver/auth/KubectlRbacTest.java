package dev.wheelhouse.apiserver.auth;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import dev.wheelhouse.Kubectl;
import dev.wheelhouse.RunningService;

import static org.assertj.core.api.Assertions.assertThat;

/** Real kubectl on the whole service, by TLS, with roles and bindings that say who may do what. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(900)
@Tag("processes")
@Tag("full")
class KubectlRbacTest {
    @TempDir
    private static Path home;

    private RunningService service;
    private Kubectl kubectl;

    @BeforeAll
    void start() throws IOException {
        Path tokens = Files.writeString(home.resolve("tokens.csv"), "jane-token,jane,j1,\"developers\"\n");
        service = RunningService.start(home, "--wheelhouse.apiserver.authorization-mode=RBAC",
                "--wheelhouse.apiserver.tls-self-signed=true", "--wheelhouse.apiserver.address=0.0.0.0",
                "--wheelhouse.apiserver.token-auth-file=" + tokens);
        kubectl = Kubectl.orSkip(service.kubeconfig(), home);
        ok("kubectl create namespace team");
        ok("kubectl create serviceaccount robot -n team");
        ok("kubectl create role reader --verb=get,list,watch --resource=pods,pods/log -n team");
        ok("kubectl create rolebinding readers --role=reader --serviceaccount=team:robot -n team");
    }

    @AfterAll
    void stop() {
        service.close();
    }

    private String ok(String line) {
        return kubectl.shell(line).succeeded().output();
    }

    private String refused(String line) {
        Kubectl.Ran ran = kubectl.shell(line);
        assertThat(ran.code()).as(line + "\n" + ran.output()).isNotZero();
        return ran.output();
    }

    /** A line with another token than the administrator's, which the kubeconfig holds. */
    private String as(String token, String arguments) throws IOException {
        Path other = home.resolve("as.kubeconfig");
        Files.writeString(other, Files.readString(service.kubeconfig()).replaceAll("user: \\{.*}",
                "user: {token: \"" + token + "\"}"));
        return "KUBECONFIG=" + other + " kubectl " + arguments;
    }

    @Test
    void theServiceWorksByTheTokenOfItsKubeconfig() throws IOException {
        assertThat(Files.readString(service.kubeconfig())).contains("server: https://127.0.0.1:",
                "certificate-authority-data:", "token:");
        ok("kubectl create deployment web --image=nginx:1.27 --replicas=2");
        assertThat(ok("kubectl rollout status deployment/web --timeout=180s")).contains("successfully rolled out");
        assertThat(ok("kubectl auth whoami")).contains("system:admin", "system:masters");
    }

    @Test
    void aServiceAccountsTokenOpensWhatItsRoleSaysAndNoMore() throws IOException {
        String token = ok("kubectl create token robot -n team --duration=20m").strip();

        assertThat(ok(as(token, "auth whoami"))).contains("system:serviceaccount:team:robot",
                "system:serviceaccounts:team");
        assertThat(ok(as(token, "get pods -n team"))).contains("No resources found");
        assertThat(refused(as(token, "get pods -n default"))).contains(
                "Error from server (Forbidden): pods is forbidden: User \"system:serviceaccount:team:robot\" cannot "
                        + "list "
                        + "resource \"pods\" in API group \"\" in the namespace \"default\"");
        assertThat(refused(as(token, "delete pod x -n team"))).contains("cannot delete resource \"pods\"");
        assertThat(refused(as(token, "create configmap c -n team"))).contains("cannot create resource \"configmaps\"");
        assertThat(ok(as(token, "auth can-i list pods -n team"))).contains("yes");
        assertThat(refused(as(token, "auth can-i delete pods -n team"))).contains("no");
        assertThat(ok(as(token, "auth can-i --list -n team"))).containsPattern("pods +\\[] +\\[] +\\[get list watch]");

        ok("kubectl delete serviceaccount robot -n team");
        assertThat(refused(as(token, "get pods -n team"))).contains("You must be logged in to the server");
        ok("kubectl create serviceaccount robot -n team");
    }

    @Test
    void anUnknownTokenIsRefused() throws IOException {
        assertThat(refused(as("nobody's", "get pods"))).contains("error: You must be logged in to the server "
                + "(Unauthorized)");
    }

    @Test
    void theAdministratorAsksAsOthers() {
        assertThat(ok("kubectl auth can-i list pods -n team --as=system:serviceaccount:team:robot")).contains("yes");
        assertThat(refused("kubectl auth can-i list secrets -n team --as=system:serviceaccount:team:robot"))
                .contains("no");
        assertThat(refused("kubectl get pods --as=eve --as-group=friends")).contains("User \"eve\" cannot list");
        assertThat(ok("kubectl auth whoami --as=eve --as-group=friends")).contains("eve", "friends");
    }

    @Test
    void nobodyGrantsWhatTheyHaveNot() throws IOException {
        ok("kubectl create rolebinding jane-admin --clusterrole=admin --user=jane -n team");

        ok(as("jane-token", "create role pods-only --verb=get --resource=pods -n team"));
        assertThat(refused(as("jane-token", "create clusterrole x --verb=get --resource=nodes")))
                .contains("User \"jane\" cannot create resource \"clusterroles\"");
        assertThat(refused(as("jane-token", "create rolebinding b --clusterrole=cluster-admin --user=jane -n team")))
                .contains("attempting to grant RBAC permissions not currently held")
                .contains("{APIGroups:[\"*\"], Resources:[\"*\"], Verbs:[\"*\"]}");
        assertThat(refused(as("jane-token", "get pods -n team --as=root"))).contains(
                "users \"root\" is forbidden: User \"jane\" cannot impersonate resource \"users\"");
    }

    @Test
    void authReconcileBringsRolesAndBindingsToWhatAFileSays() throws IOException {
        Path file = Files.writeString(home.resolve("rbac.yaml"), """
                apiVersion: rbac.authorization.k8s.io/v1
                kind: Role
                metadata: {name: reconciled, namespace: team}
                rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]
                ---
                apiVersion: rbac.authorization.k8s.io/v1
                kind: RoleBinding
                metadata: {name: reconciled, namespace: team}
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reconciled}
                subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: rita}]
                """);
        assertThat(ok("kubectl auth reconcile -f " + file)).contains("role.rbac.authorization.k8s.io/reconciled "
                + "reconciled", "rolebinding.rbac.authorization.k8s.io/reconciled reconciled");
        assertThat(ok("kubectl auth can-i list pods -n team --as=rita")).contains("yes");
        ok("kubectl patch role reconciled -n team --type=merge -p '{\"rules\": []}'");
        assertThat(refused("kubectl auth can-i list pods -n team --as=rita")).contains("no");
        ok("kubectl auth reconcile -f " + file);
        assertThat(ok("kubectl auth can-i list pods -n team --as=rita")).contains("yes");
    }
}
