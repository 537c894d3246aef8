extension ContentValidators {
    /// The time by which a response must be younger than its `Last-Modified` for that date to identify the content, in
    /// seconds. RFC 9110, section 8.8.2.2, requires one second; clocks of servers behind one name differ by more.
    static let strongDateAge: Int64 = 60

    /// The entity tag if it is strong: equal tags mean equal bytes. Nil if there is no tag or a weak one.
    package var strongTag: String? {
        guard let entityTag, entityTag.utf8.count >= 2, entityTag.hasPrefix("\""), entityTag.hasSuffix("\"") else {
            return nil
        }
        return entityTag
    }

    /// The date of the last change if it identifies the content: the response was sent at least
    /// ``strongDateAge`` seconds after it. Nil otherwise.
    package var strongDate: String? {
        guard let lastModified, let date, let change = HTTPDate.secondsSince1970(lastModified),
            let response = HTTPDate.secondsSince1970(date), response - change >= Self.strongDateAge
        else { return nil }
        return lastModified
    }

    /// The value of `If-Range` that identifies the content; nil if no validator is strong.
    package var strongValidator: String? { strongTag ?? (entityTag == nil ? strongDate : nil) }

    /// Whether both responses have a validator of the same kind, and the validators differ.
    func contradicts(_ other: ContentValidators) -> Bool {
        if let entityTag, let otherTag = other.entityTag { return entityTag != otherTag }
        if let lastModified, let otherDate = other.lastModified { return lastModified != otherDate }
        return false
    }

    /// Whether the strong validator of this value is also a validator of `other`.
    func stronglyMatches(_ other: ContentValidators) -> Bool {
        if let strongTag { return other.entityTag == strongTag }
        guard entityTag == nil, let strongDate else { return false }
        return other.lastModified == strongDate
    }

    /// Whether both responses have the same validator, strong or weak.
    func matches(_ other: ContentValidators) -> Bool {
        (entityTag != nil || lastModified != nil) && (other.entityTag != nil || other.lastModified != nil)
            && (entityTag == other.entityTag) && (entityTag != nil || lastModified == other.lastModified)
    }
}
