package org.example;

import java.time.Instant;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.operator.CrdPolicy;
import dev.wheelhouse.operator.DecidingOperator;
import dev.wheelhouse.operator.Decision;
import dev.wheelhouse.operator.Related;
import dev.wheelhouse.operator.Setup;

/** Each website has a ConfigMap with its page. */
public final class WebsiteOperator implements DecidingOperator<Website> {
    @Override
    public void setup(Setup<Website> setup) {
        setup.owns(V1ConfigMap.class).crd(CrdPolicy.INSTALL);
    }

    @Override
    public Decision decide(Website website, Related related, Instant now) {
        Website.Status status = new Website.Status();
        status.setPages(related.all(V1ConfigMap.class).size());
        return Decision.apply(new V1ConfigMap()
                .metadata(new V1ObjectMeta().name(website.getMetadata().getName()))
                .putDataItem("index.html", website.getSpec().getHtml())).status(status);
    }
}
