/** The largest amount of a payment, and the largest total of an invoice. */
export const largest_amount = 99_999_999

/** Amounts that are easily misread: 4.35 times 100 is a little less in binary, and 1,234.56 is written with a comma. */
export const misread_amounts = [435, 123_456, largest_amount]
