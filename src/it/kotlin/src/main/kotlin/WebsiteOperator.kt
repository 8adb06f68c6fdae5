package org.example

import dev.wheelhouse.operator.*
import dev.wheelhouse.operator.schema.*
import io.kubernetes.client.openapi.models.*
import java.time.Instant

@ResourceDefinition(group = "example.com", version = "v1")
class Website : CustomResource<Website.Spec, Website.Status>() {
    data class Spec(@Required val html: String, @Default("1") @Limits(min = 0.0, max = 100.0) val replicas: Int)

    data class Status(@PrinterColumn("Pages") val pages: Int, val conditions: List<V1Condition>? = null)
}

class WebsiteOperator : DecidingOperator<Website> {
    override fun setup(setup: Setup<Website>) {
        setup.owns(V1ConfigMap::class.java).crd(CrdPolicy.INSTALL)
    }

    override fun decide(website: Website, related: Related, now: Instant): Decision {
        val spec = website.spec ?: return Decision.keep()
        val name = website.metadata.name!!
        val published = related.named(V1ConfigMap::class.java, name).isPresent
        return Decision.apply(V1ConfigMap().metadata(V1ObjectMeta().name(name)).putDataItem("index.html", spec.html))
            .status(Website.Status(if (published) 1 else 0))
            .condition("Published", published, "Applied", "The page is stored.")
    }
}
