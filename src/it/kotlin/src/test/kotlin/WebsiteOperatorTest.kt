package org.example

import dev.wheelhouse.api.KubeApiException
import dev.wheelhouse.testing.EmbeddedApiServer
import dev.wheelhouse.testing.OperatorSimulation
import dev.wheelhouse.testing.TestServer
import dev.wheelhouse.testing.User
import io.kubernetes.client.openapi.models.V1ConfigMap
import io.kubernetes.client.openapi.models.V1ObjectMeta
import java.util.function.Supplier
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test

@EmbeddedApiServer(crds = [Website::class], operators = [WebsiteOperator::class],
    clock = EmbeddedApiServer.TestClock.MANUAL)
class WebsiteOperatorTest {
    private fun website(spec: Website.Spec) = Website().also {
        it.metadata = V1ObjectMeta().namespace("default").name("home")
        it.spec = spec
    }

    @Test
    fun aDataClassIsWrittenAndReadAndItsRulesHold(server: TestServer, user: User) {
        user.create(website(Website.Spec("Hello", 3)))
        server.settle()

        val stored = user.get(Website::class.java, "default", "home")
        assertEquals(Website.Spec("Hello", 3), stored.spec)
        assertEquals(1, stored.status?.pages)
        assertEquals("True", stored.status?.conditions?.single()?.status)
        assertEquals("Hello", user.get(V1ConfigMap::class.java, "default", "home").data!!["index.html"])

        user.edit(Website::class.java, "default", "home") { it.spec = it.spec!!.copy(html = "Bye") }
        server.settle()
        assertEquals("Bye", user.get(V1ConfigMap::class.java, "default", "home").data!!["index.html"])
        assertThrows(KubeApiException::class.java) {
            user.edit(Website::class.java, "default", "home") { it.spec = it.spec!!.copy(replicas = 101) }
        }
    }

    @Test
    fun noFaultChangesTheEnd() {
        OperatorSimulation.of(Supplier { WebsiteOperator() }).crds(Website::class.java)
            .step("creates a website") { it.create(website(Website.Spec("Hello", 1))) }
            .seeds(1).run()
    }
}
