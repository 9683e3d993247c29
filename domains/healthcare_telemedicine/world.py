"""Fill a video-visit practice: patients, clinicians' slots, visits, and what came of them."""

from runtime import WorldBuilder, add_days, add_minutes, days_between, weekday

NOTICE = 5  # days ahead of a visit until which patients may cancel

REFILL_DAYS = 75  # days after writing until which a refill may be requested

INVARIANTS = {
    "A slot is booked exactly while it holds a visit that is not canceled.": """
        SELECT slot_id FROM slot WHERE (status = 'booked') <> EXISTS ( SELECT 1 FROM visit WHERE visit.slot_id = slot.slot_id AND
        visit.status <> 'canceled')""",
    "Slots of one clinician never overlap.": """
        SELECT slot.slot_id FROM slot JOIN slot AS later ON later.clinician_id = slot.clinician_id AND later.starts_at > slot.starts_at AND
        later.starts_at < datetime(slot.starts_at, '+' || slot.minutes || ' minutes')""",
    "Open visits of one patient never overlap.": """
        SELECT visit.visit_id FROM visit JOIN slot ON slot.slot_id = visit.slot_id JOIN visit AS other ON other.patient_id =
        visit.patient_id AND other.visit_id <> visit.visit_id JOIN slot AS later ON later.slot_id = other.slot_id WHERE visit.status IN
        ('booked', 'checked_in') AND other.status IN ('booked', 'checked_in') AND later.starts_at >= slot.starts_at AND later.starts_at <
        datetime(slot.starts_at, '+' || slot.minutes || ' minutes')""",
    "Whoever was checked in has a telehealth consent on file.": """
        SELECT visit.visit_id FROM visit JOIN patient ON patient.patient_id = visit.patient_id WHERE visit.status IN ('checked_in',
        'completed') AND patient.consent_on IS NULL""",
    "An inactive patient has no open visit.": """
        SELECT visit.visit_id FROM visit JOIN patient ON patient.patient_id = visit.patient_id WHERE visit.status IN ('booked',
        'checked_in') AND patient.status = 'inactive'""",
    "A charge for a visit belongs to its patient, and a visit is billed only once completed.": """
        SELECT charge.charge_id FROM charge JOIN visit ON visit.visit_id = charge.visit_id WHERE charge.patient_id <> visit.patient_id OR
        (charge.kind = 'visit' AND visit.status <> 'completed')""",
    "A pending refill is of an active prescription with refills left.": """
        SELECT refill.refill_id FROM refill JOIN prescription ON prescription.prescription_id = refill.prescription_id WHERE refill.status =
        'pending' AND (prescription.status = 'discontinued' OR prescription.refills_left = 0)""",
    "Prescriptions come only from visits that were checked in or completed.": """
        SELECT prescription.prescription_id FROM prescription JOIN visit ON visit.visit_id = prescription.visit_id WHERE visit.status NOT IN
        ('checked_in', 'completed')""",
}
GIVEN = (
    "Maria",
    "James",
    "Denise",
    "Miguel",
    "Priya",
    "Kevin",
    "Aaliyah",
    "Thomas",
    "Linda",
    "Robert",
    "Carmen",
    "Daniel",
    "Grace",
    "Anthony",
    "Mei",
    "Brian",
    "Latoya",
    "Steven",
    "Rosa",
    "Eric",
    "Hannah",
    "Omar",
    "Patricia",
    "Jason",
    "Nicole",
    "Victor",
    "Susan",
    "Andre",
    "Kimberly",
    "Luis",
    "Rachel",
    "Sean",
    "Teresa",
    "Minh",
    "Karen",
    "Darnell",
    "Emily",
    "Paul",
    "Yolanda",
    "Gregory",
    "Fatima",
    "Scott",
    "Angela",
    "Ryan",
    "Monica",
    "Peter",
    "Jasmine",
    "Walter",
)
FAMILY = (
    "Walker",
    "Ortega",
    "Raman",
    "Tran",
    "Brooks",
    "Kowalski",
    "Nguyen",
    "Johnson",
    "Garcia",
    "Smith",
    "Lee",
    "Martinez",
    "Davis",
    "Chen",
    "Anderson",
    "Lopez",
    "Thompson",
    "Patel",
    "Clark",
    "Ramirez",
    "Hall",
    "Kim",
    "Foster",
    "Morales",
    "Reed",
    "Singh",
    "Bennett",
    "Flores",
    "Cooper",
    "Yamamoto",
    "Price",
    "Castillo",
    "Hughes",
    "Okafor",
    "Sullivan",
    "Vega",
    "Peterson",
    "Washington",
    "Murphy",
    "Delgado",
    "Larsen",
    "Hoang",
    "Campbell",
    "Navarro",
    "Schmidt",
    "Ellis",
    "Romero",
    "Fox",
)
AREAS = (
    ("503", "OR", "Portland"),
    ("619", "CA", "San Diego"),
    ("206", "WA", "Seattle"),
    ("702", "NV", "Las Vegas"),
    ("916", "CA", "Sacramento"),
    ("541", "OR", "Eugene"),
    ("253", "WA", "Tacoma"),
    ("510", "CA", "Oakland"),
    ("775", "NV", "Reno"),
    ("408", "CA", "San Jose"),
    ("971", "OR", "Salem"),
    ("509", "WA", "Spokane"),
    ("858", "CA", "La Jolla"),
    ("425", "WA", "Bellevue"),
    ("559", "CA", "Fresno"),
    ("725", "NV", "Henderson"),
    ("213", "CA", "Los Angeles"),
    ("458", "OR", "Bend"),
    ("360", "WA", "Vancouver"),
    ("415", "CA", "San Francisco"),
    ("818", "CA", "Burbank"),
    ("805", "CA", "Ventura"),
    ("707", "CA", "Santa Rosa"),
    ("661", "CA", "Bakersfield"),
)
CHAINS = ("Walgreens", "CVS", "Rite Aid", "Safeway Pharmacy", "Costco Pharmacy", "Walmart Pharmacy")
STREETS = (
    "Maple Ave",
    "Oak St",
    "Cedar Ln",
    "5th St",
    "Main St",
    "Park Blvd",
    "Lake Rd",
    "Mission St",
    "Division St",
    "Pine St",
    "Broadway",
    "Hill Rd",
    "Elm St",
    "River Rd",
    "Center St",
    "Valley Way",
    "Sunset Blvd",
    "Market St",
    "Grand Ave",
    "1st Ave",
)
ALLERGIES = (
    "None known",
    "Penicillin",
    "Sulfa drugs",
    "Latex",
    "Peanuts",
    "Codeine",
    "Aspirin",
    "Shellfish",
    "Bee stings",
    "Ibuprofen",
    "Penicillin and latex",
    "Tree nuts",
)
SPECIALTIES = ("primary_care", "psychiatry", "dermatology", "pediatrics")
FEES = {
    "primary_care": (7500, 8500, 9500),
    "psychiatry": (15000, 18000, 21000),
    "dermatology": (9900, 11900, 12900),
    "pediatrics": (7500, 8900, 9500),
}
MINUTES = {"primary_care": (20, 30), "psychiatry": (30, 45), "dermatology": (15, 20), "pediatrics": (20, 30)}
LICENSES = ("CA,NV", "OR,WA", "CA,OR,WA,NV", "WA,OR,CA", "NV,CA", "OR,WA,NV", "CA,WA", "WA,OR")
BLOCKS = (
    "Staff meeting",
    "Vacation",
    "Lunch and charting",
    "Training",
    "Clinician out sick",
    "Conference",
    "Family emergency",
)
PATIENT_CANCELS = (
    "Feeling better",
    "Work conflict",
    "Traveling that day",
    "Found an in-person appointment",
    "Child has a school event",
    "Moving that week",
    "Wants a different time",
    "Insurance changed",
)
ONSETS = {
    "acute": (
        "since yesterday",
        "for three days",
        "for about a week",
        "since the weekend",
        "since last night",
        "for five days",
        "on and off this week",
        "for ten days",
        "since a trip last week",
        "for four days",
    ),
    "chronic": (
        "for several months",
        "for about a year",
        "since last summer",
        "on and off for a year",
        "getting worse lately",
        "for six weeks",
        "since the fall",
        "for two months",
        "more often lately",
        "since the holidays",
    ),
}
ADVICE = {
    "acute": (
        "Rest and fluids.",
        "Message us if not better in five days.",
        "Go to urgent care if it gets worse.",
        "Should clear up within a week.",
        "Finish the full course of treatment.",
        "No follow-up needed if symptoms clear.",
        "Recheck in two weeks.",
        "Over-the-counter relief is fine.",
    ),
    "chronic": (
        "Recheck in six weeks.",
        "Follow up in three months.",
        "Keep a daily log until the next visit.",
        "Continue the current plan.",
        "Discussed diet, sleep, and exercise.",
        "Adjust the dose at the next visit if needed.",
        "Recheck in one month.",
        "Discussed side effects to watch for.",
    ),
}
COMPLAINTS = {  # what hurts, how it starts, what was found, what is prescribed for it
    "primary_care": (
        (
            "Sore throat and fever",
            "acute",
            ("Likely strep throat.", "Throat infection with swollen glands."),
            ("Amoxicillin", "Azithromycin"),
        ),
        (
            "Cough and congestion",
            "acute",
            ("Acute bronchitis.", "Chest cold with wheezing."),
            ("Albuterol inhaler", "Azithromycin"),
        ),
        (
            "Sinus pressure and headache",
            "acute",
            ("Sinus infection.", "Allergies with sinus pressure."),
            ("Amoxicillin", "Fluticasone nasal spray"),
        ),
        (
            "Burning with urination",
            "acute",
            ("Urinary tract infection.", "Bladder infection, no fever."),
            ("Nitrofurantoin", "Cephalexin"),
        ),
        (
            "Low back pain",
            "acute",
            ("Muscle strain, no nerve signs.", "Mechanical back pain."),
            ("Ibuprofen", "Naproxen"),
        ),
        (
            "High blood pressure at home",
            "chronic",
            ("Blood pressure above goal.", "Hypertension, fairly stable."),
            ("Lisinopril", "Amlodipine", "Losartan", "Hydrochlorothiazide"),
        ),
        ("Heartburn after meals", "chronic", ("Acid reflux.", "Reflux, improving."), ("Omeprazole", "Famotidine")),
        (
            "Feeling tired and cold",
            "chronic",
            ("Underactive thyroid.", "Low thyroid, dose reviewed."),
            ("Levothyroxine",),
        ),
        ("High blood sugar readings", "chronic", ("Type 2 diabetes, above goal.", "Prediabetes."), ("Metformin",)),
        (
            "High cholesterol",
            "chronic",
            ("Cholesterol above goal.", "Cholesterol improving."),
            ("Atorvastatin", "Rosuvastatin"),
        ),
    ),
    "psychiatry": (
        (
            "Trouble falling asleep",
            "chronic",
            ("Insomnia.", "Sleep trouble linked to stress."),
            ("Trazodone", "Zolpidem"),
        ),
        (
            "Worry and racing thoughts",
            "chronic",
            ("Generalized anxiety.", "Anxiety, partly controlled."),
            ("Sertraline", "Escitalopram", "Buspirone"),
        ),
        (
            "Panic attacks",
            "chronic",
            ("Panic disorder.", "Panic attacks, less frequent."),
            ("Lorazepam", "Clonazepam", "Sertraline"),
        ),
        (
            "Low mood",
            "chronic",
            ("Depression, moderate.", "Depression, improving."),
            ("Sertraline", "Fluoxetine", "Bupropion XL"),
        ),
        (
            "Trouble concentrating at work",
            "chronic",
            ("Adult ADHD.", "ADHD, responding to treatment."),
            ("Methylphenidate ER", "Atomoxetine"),
        ),
        (
            "Mood swings",
            "chronic",
            ("Mood disorder, stable.", "Mood swings under review."),
            ("Lamotrigine", "Quetiapine"),
        ),
        (
            "Irritability and stress",
            "chronic",
            ("Stress reaction.", "Adjustment difficulties."),
            ("Escitalopram", "Buspirone"),
        ),
        ("Nightmares", "chronic", ("Trauma-related nightmares.", "Nightmares, less often."), ("Prazosin",)),
        (
            "Loss of interest in hobbies",
            "chronic",
            ("Depression, mild.", "Depression, partial response."),
            ("Fluoxetine", "Bupropion XL"),
        ),
        (
            "Nerves before presentations",
            "chronic",
            ("Performance anxiety.", "Social anxiety."),
            ("Propranolol", "Hydroxyzine"),
        ),
    ),
    "dermatology": (
        (
            "Acne breakouts",
            "chronic",
            ("Inflammatory acne.", "Acne, clearing."),
            ("Tretinoin cream", "Clindamycin gel", "Doxycycline"),
        ),
        (
            "Itchy rash on the arms",
            "acute",
            ("Contact dermatitis.", "Eczema flare."),
            ("Triamcinolone ointment", "Hydrocortisone cream"),
        ),
        ("Redness on the cheeks", "chronic", ("Rosacea.", "Rosacea, mild."), ("Metronidazole gel", "Doxycycline")),
        (
            "Dry, cracked hands",
            "chronic",
            ("Hand eczema.", "Irritated skin from washing."),
            ("Clobetasol cream", "Triamcinolone ointment"),
        ),
        (
            "Scaly patches on the elbows",
            "chronic",
            ("Plaque psoriasis.", "Psoriasis, small areas."),
            ("Clobetasol cream", "Triamcinolone ointment"),
        ),
        ("Thick yellow toenails", "chronic", ("Nail fungus.", "Nail fungus, growing out."), ("Terbinafine",)),
        ("Cold sores", "acute", ("Cold sore outbreak.", "Recurring cold sores."), ("Valacyclovir",)),
        (
            "Itching between the toes",
            "acute",
            ("Athlete's foot.", "Fungal infection of the feet."),
            ("Ketoconazole cream",),
        ),
        (
            "Acne along the jaw",
            "chronic",
            ("Hormonal acne.", "Hormonal acne, improving."),
            ("Spironolactone", "Tretinoin cream"),
        ),
        (
            "Infected bug bite",
            "acute",
            ("Local skin infection.", "Infected bite, no abscess."),
            ("Mupirocin ointment", "Cephalexin"),
        ),
    ),
    "pediatrics": (
        (
            "Ear pain",
            "acute",
            ("Ear infection.", "Middle ear infection with fever."),
            ("Amoxicillin suspension", "Cefdinir suspension"),
        ),
        ("Barking cough", "acute", ("Croup.", "Mild croup, breathing well."), ("Prednisolone syrup",)),
        (
            "Wheezing at soccer practice",
            "chronic",
            ("Exercise-induced asthma.", "Mild asthma."),
            ("Albuterol inhaler", "Montelukast chewable", "Fluticasone inhaler"),
        ),
        (
            "Runny nose and itchy eyes",
            "chronic",
            ("Seasonal allergies.", "Dust allergy."),
            ("Cetirizine syrup", "Montelukast chewable"),
        ),
        ("Fever", "acute", ("Viral illness.", "Fever, no warning signs."), ("Ibuprofen suspension",)),
        ("Crusty rash around the mouth", "acute", ("Impetigo.", "Impetigo, spreading."), ("Mupirocin ointment",)),
        (
            "Trouble focusing at school",
            "chronic",
            ("ADHD.", "ADHD, doing better at school."),
            ("Methylphenidate ER", "Guanfacine ER"),
        ),
        ("Sore throat", "acute", ("Strep throat.", "Tonsillitis."), ("Amoxicillin suspension", "Cefdinir suspension")),
        ("Pink eye", "acute", ("Bacterial pink eye.", "Pink eye in both eyes."), ("Polymyxin eye drops",)),
        ("Eczema behind the knees", "chronic", ("Eczema.", "Eczema flare from dry air."), ("Hydrocortisone cream",)),
    ),
}
DIRECTIONS = {  # the words and the units a day; 0 means one package a fill
    "daily": ("Take one tablet by mouth once daily", 1),
    "night": ("Take one tablet by mouth at bedtime", 1),
    "twice": ("Take one tablet by mouth twice daily", 2),
    "morning": ("Take one capsule by mouth every morning", 1),
    "capsules": ("Take one capsule by mouth twice daily", 2),
    "needed": ("Take one tablet by mouth every 8 hours as needed", 3),
    "spray": ("Use one spray in each nostril once daily", 0),
    "puffs": ("Inhale two puffs every 6 hours as needed", 0),
    "cream": ("Apply a thin layer to the affected area twice daily", 0),
    "liquid": ("Give 5 mL by mouth twice daily", 10),
    "drops": ("Put one drop in the affected eye four times daily", 0),
}
MEDICINES = {  # strengths, directions, days a fill lasts, refills, controlled
    "Amoxicillin": (("250 mg", "500 mg"), "capsules", (7, 10), (0,), 0),
    "Azithromycin": (("250 mg", "500 mg"), "daily", (5,), (0,), 0),
    "Albuterol inhaler": (("90 mcg", "108 mcg"), "puffs", (30,), (1, 3, 5), 0),
    "Fluticasone nasal spray": (("50 mcg",), "spray", (30,), (2, 5), 0),
    "Nitrofurantoin": (("50 mg", "100 mg"), "capsules", (5, 7), (0,), 0),
    "Cephalexin": (("250 mg", "500 mg"), "capsules", (7, 10), (0,), 0),
    "Ibuprofen": (("400 mg", "600 mg", "800 mg"), "needed", (10, 14), (0, 1), 0),
    "Naproxen": (("250 mg", "375 mg", "500 mg"), "twice", (14, 30), (0, 1, 2), 0),
    "Lisinopril": (("5 mg", "10 mg", "20 mg", "40 mg"), "daily", (30, 90), (3, 5), 0),
    "Amlodipine": (("2.5 mg", "5 mg", "10 mg"), "daily", (30, 90), (3, 5), 0),
    "Losartan": (("25 mg", "50 mg", "100 mg"), "daily", (30, 90), (3, 5), 0),
    "Hydrochlorothiazide": (("12.5 mg", "25 mg"), "daily", (30, 90), (3, 5), 0),
    "Omeprazole": (("20 mg", "40 mg"), "morning", (30, 90), (1, 3), 0),
    "Famotidine": (("20 mg", "40 mg"), "night", (30,), (1, 3), 0),
    "Levothyroxine": (("25 mcg", "50 mcg", "75 mcg", "100 mcg", "125 mcg"), "daily", (30, 90), (3, 11), 0),
    "Metformin": (("500 mg", "850 mg", "1000 mg"), "twice", (30, 90), (3, 5), 0),
    "Atorvastatin": (("10 mg", "20 mg", "40 mg", "80 mg"), "night", (30, 90), (3, 5), 0),
    "Rosuvastatin": (("5 mg", "10 mg", "20 mg"), "night", (30, 90), (3, 5), 0),
    "Trazodone": (("50 mg", "100 mg", "150 mg"), "night", (30,), (1, 2, 5), 0),
    "Zolpidem": (("5 mg", "10 mg"), "night", (14, 30), (0, 1, 2), 1),
    "Sertraline": (("25 mg", "50 mg", "100 mg"), "daily", (30, 90), (2, 5), 0),
    "Escitalopram": (("5 mg", "10 mg", "20 mg"), "daily", (30, 90), (2, 5), 0),
    "Buspirone": (("5 mg", "10 mg", "15 mg"), "twice", (30,), (2, 5), 0),
    "Lorazepam": (("0.5 mg", "1 mg"), "twice", (14, 30), (0, 1, 2), 1),
    "Clonazepam": (("0.5 mg", "1 mg"), "twice", (30,), (1, 2), 1),
    "Fluoxetine": (("10 mg", "20 mg", "40 mg"), "morning", (30, 90), (2, 5), 0),
    "Bupropion XL": (("150 mg", "300 mg"), "daily", (30, 90), (2, 5), 0),
    "Methylphenidate ER": (("18 mg", "27 mg", "36 mg", "54 mg"), "daily", (30,), (0,), 1),
    "Atomoxetine": (("25 mg", "40 mg", "60 mg"), "morning", (30,), (2, 5), 0),
    "Lamotrigine": (("25 mg", "100 mg", "200 mg"), "daily", (30, 90), (2, 5), 0),
    "Quetiapine": (("25 mg", "50 mg", "100 mg"), "night", (30,), (1, 3), 0),
    "Prazosin": (("1 mg", "2 mg", "5 mg"), "morning", (30,), (1, 3), 0),
    "Propranolol": (("10 mg", "20 mg", "40 mg"), "needed", (10, 30), (1, 2), 0),
    "Hydroxyzine": (("25 mg", "50 mg"), "needed", (10, 30), (1, 2), 0),
    "Tretinoin cream": (("0.025%", "0.05%", "0.1%"), "cream", (30, 60), (1, 3), 0),
    "Clindamycin gel": (("1%",), "cream", (30,), (1, 3), 0),
    "Doxycycline": (("50 mg", "100 mg"), "capsules", (14, 30), (0, 1, 2), 0),
    "Triamcinolone ointment": (("0.025%", "0.1%", "0.5%"), "cream", (14, 30), (1, 2), 0),
    "Hydrocortisone cream": (("1%", "2.5%"), "cream", (14, 30), (1, 2), 0),
    "Metronidazole gel": (("0.75%", "1%"), "cream", (30,), (2, 3), 0),
    "Clobetasol cream": (("0.025%", "0.05%"), "cream", (14, 30), (0, 1), 0),
    "Terbinafine": (("250 mg",), "daily", (30,), (2,), 0),
    "Valacyclovir": (("500 mg", "1000 mg"), "twice", (5, 7), (2, 5), 0),
    "Ketoconazole cream": (("2%",), "cream", (14, 30), (1,), 0),
    "Spironolactone": (("25 mg", "50 mg", "100 mg"), "daily", (30, 90), (2, 5), 0),
    "Mupirocin ointment": (("2%",), "cream", (7, 10), (0, 1), 0),
    "Amoxicillin suspension": (("200 mg/5 mL", "250 mg/5 mL", "400 mg/5 mL"), "liquid", (7, 10), (0,), 0),
    "Cefdinir suspension": (("125 mg/5 mL", "250 mg/5 mL"), "liquid", (7, 10), (0,), 0),
    "Prednisolone syrup": (("5 mg/5 mL", "15 mg/5 mL"), "liquid", (3, 5), (0,), 0),
    "Montelukast chewable": (("4 mg", "5 mg"), "night", (30, 90), (2, 5), 0),
    "Fluticasone inhaler": (("44 mcg", "110 mcg"), "puffs", (30,), (2, 5), 0),
    "Cetirizine syrup": (("5 mg/5 mL",), "liquid", (30,), (1, 3), 0),
    "Ibuprofen suspension": (("100 mg/5 mL",), "liquid", (5, 7), (0, 1), 0),
    "Guanfacine ER": (("1 mg", "2 mg", "3 mg"), "night", (30,), (2, 5), 0),
    "Polymyxin eye drops": (("10 mL",), "drops", (7,), (0,), 0),
}
STOPS = (
    "Side effects",
    "No longer needed",
    "Switched to another drug",
    "Dose changed",
    "Did not help",
    "Patient asked to stop",
    "Possible allergic reaction",
    "Insurance does not cover it",
    "Patient stopped using it",
    "Too expensive",
)
REFILL_NOTES = (
    "Only two days left",
    "Going out of town next week",
    "Lost the bottle",
    "Please send before Friday",
    "Working well, no side effects",
    "Would like a 90-day supply",
    "Changed pharmacies",
    "Running low",
    "Ran out yesterday",
    "Pharmacy told me to ask you",
)
DENIALS = (
    "Needs a visit first",
    "Too soon to refill",
    "Labs are overdue",
    "Dose is being changed",
    "Patient uses another prescriber",
    "Follow-up visit needed first",
    "Being switched to another drug",
)
TESTS = (  # name, fasting, unit, divisor, and the range of a normal, an abnormal, and a critical value
    ("Hemoglobin A1c", 0, "%", 10, (48, 57), (58, 90), (100, 140)),
    ("Fasting glucose", 1, "mg/dL", 1, (75, 100), (101, 180), (300, 420)),
    ("Total cholesterol", 1, "mg/dL", 1, (140, 200), (201, 280), (320, 400)),
    ("Triglycerides", 1, "mg/dL", 1, (70, 150), (151, 400), (900, 1300)),
    ("TSH", 0, "mIU/L", 10, (5, 41), (45, 95), (200, 600)),
    ("Vitamin D, 25-hydroxy", 0, "ng/mL", 1, (30, 60), (15, 29), (4, 9)),
    ("Hemoglobin", 0, "g/dL", 10, (120, 160), (95, 118), (55, 69)),
    ("Potassium", 0, "mmol/L", 10, (36, 51), (52, 58), (63, 72)),
    ("Creatinine", 0, "mg/dL", 10, (6, 13), (14, 25), (45, 80)),
    ("ALT", 0, "U/L", 1, (10, 50), (55, 180), (500, 900)),
    ("Ferritin", 0, "ng/mL", 1, (30, 200), (8, 20), (2, 5)),
    ("Vitamin B12", 0, "pg/mL", 1, (250, 800), (140, 199), (60, 99)),
    ("Sodium", 0, "mmol/L", 1, (136, 145), (126, 134), (112, 119)),
    ("C-reactive protein", 0, "mg/L", 1, (1, 8), (12, 60), (150, 280)),
)
LAB_CANCELS = (
    "Patient moved away",
    "Done elsewhere last month",
    "Ordered by mistake",
    "Patient declined",
    "Duplicate order",
    "Not needed after all",
)
NOTES = {
    "no_show_fee": ("Missed visit", "No answer on video", "Did not join the call"),
    "late_cancellation_fee": (
        "Canceled less than a week ahead",
        "Late cancellation",
        "Canceled in the week of the visit",
    ),
    "plan_fee": ("Monthly plan fee", "Membership renewal"),
    "records_fee": ("Records for a new doctor", "Records for a lawyer", "School health form"),
}
WAIVERS = ("Financial hardship", "First missed visit", "Courtesy for a long wait", "Video link failed")
REFUNDS = ("Paid twice", "Visit cut short by a bad connection", "Insurance paid later", "Charged the wrong amount")


def populate(world: WorldBuilder) -> None:
    """A seventh of the rows are patients; a quarter are slots, from which visits and all the rest follow."""
    people, names, dealt = [], [], {"CA": 0, "WA": 0, "OR": 0, "NV": 0}
    for number in range(world.share(0.14, least=3)):
        people.append(_add_patient(world, number, names, dealt))
    order = list(people)
    world.random.shuffle(order)
    book = {"order": order, "busy": set(), "usable": set(), "waiting": set(), "last": {}, "completed": 0}
    clinicians = world.share(0.01, least=3)
    slots = world.share(0.275, least=15) // clinicians
    shift = world.random.randrange(len(FAMILY))
    for number in range(clinicians):
        clinician = _add_clinician(world, number, shift)
        _add_schedule(world, book, clinician, number, slots)
    for person in people:
        _add_fees(world, person)


def _open_day(world, day):
    return day + 1 if weekday(world.day(day)) == "Sunday" else day


def _time(draw, first, last):
    return f"{draw.randrange(first, last):02d}:{draw.randrange(60):02d}"


def _add_patient(world, number, names, dealt):
    draw = world.random
    name = draw.choice(names) if number % 4 == 3 else f"{draw.choice(GIVEN)} {draw.choice(FAMILY)}"
    names.append(name)
    state = draw.choices(("CA", "WA", "OR", "NV"), (46, 22, 20, 12))[0]
    nearby = [area for area in AREAS if area[1] == state]
    area, state, city = nearby[dealt[state] % len(nearby)]
    line = dealt[state] // len(nearby) % 100  # each state numbers its own phones, so they stay unique
    dealt[state] += 1
    minor = draw.random() < 0.2
    born = -draw.randrange(800, 6200) if minor else -draw.randrange(6700, 30000)
    joined = -draw.randrange(440, 1500) if draw.random() < 0.8 else -draw.randrange(4, 120)
    joined = _open_day(world, joined if joined > born else born + 60)
    plan_since = joined if draw.random() < 0.6 else _open_day(world, draw.randrange(joined, -1))
    host = draw.choice(("example.com", "example.org", "example.net"))
    row = world.insert(
        "patient",
        name=name,
        email=f"{name.replace(' ', '.')}{number}@{host}".lower(),
        phone=f"{area}-555-01{line:02d}",
        date_of_birth=world.day(born),
        address_state=state,
        plan=draw.choices(("basic", "plus", "premier"), (50, 32, 18))[0],
        plan_since=world.day(plan_since),
        status="inactive" if draw.random() < 0.09 else "active",
        joined_on=world.day(joined),
        consent_on=None if draw.random() < 0.12 else world.day(joined + draw.randrange(2)),
        pharmacy=None if draw.random() < 0.12 else f"{draw.choice(CHAINS)}, {draw.choice(STREETS)}, {city}",
        allergies=None if draw.random() < 0.3 else draw.choice(ALLERGIES),
        credit_cents=draw.choices((0, 1000, 1500, 2500, 4000, 7500), (60, 10, 10, 10, 6, 4))[0],
    )
    return {"row": row, "joined": joined, "minor": minor}


def _add_clinician(world, number, shift):
    draw = world.random
    given = GIVEN[number % len(GIVEN)]
    family = FAMILY[(number // len(GIVEN) + number * 5 + shift) % len(FAMILY)]
    specialty = SPECIALTIES[number % len(SPECIALTIES)]
    return world.insert(
        "clinician",
        name=f"{given} {family}, NP" if draw.random() < 0.3 else f"Dr. {given} {family}",
        specialty=specialty,
        licensed_states=LICENSES[(number + number // 4 + shift) % len(LICENSES)],
        visit_fee_cents=draw.choice(FEES[specialty]),
        accepting_new=0 if number == 1 or draw.random() < 0.2 else 1,
    )


def _add_schedule(world, book, clinician, number, count):
    """Every slot has an hour of its own, so nobody's times overlap."""
    draw = world.random
    quarter = draw.choice((0, 15))
    taken = set()
    for index in range(count):
        first = number == 0 and index == 0
        day = -20 if first else _draw_day(draw)
        day = _open_day(world, day)
        hour = 14 if first else draw.randrange(8, 19)
        if (day, hour) not in taken:
            taken.add((day, hour))
            fate = "completed" if first else _fate(draw, day, hour)
            _add_slot(world, book, clinician, day, hour, quarter, fate)


def _draw_day(draw):
    when = draw.choices(("recent", "last year", "long ago", "today", "ahead"), (34, 12, 11, 15, 28))[0]
    if when == "recent":
        return -draw.randrange(1, 91)
    if when == "last year":
        return -draw.randrange(91, 366)
    if when == "long ago":
        return -draw.randrange(366, 431)
    return 0 if when == "today" else draw.randrange(1, 22)


def _fate(draw, day, hour):
    if day < 0:
        return draw.choices(("completed", "no_show", "canceled", "open", "blocked"), (76, 9, 9, 3, 3))[0]
    if day > 0 or hour > 11:
        return draw.choices(("booked", "canceled", "open", "blocked"), (48, 11, 33, 8))[0]
    if hour < 10:
        return draw.choices(("completed", "no_show", "booked", "checked_in", "canceled"), (50, 14, 16, 8, 12))[0]
    if hour == 10:
        return draw.choices(("checked_in", "booked", "open", "canceled"), (45, 35, 10, 10))[0]
    return draw.choices(("checked_in", "booked", "open", "canceled"), (20, 45, 25, 10))[0]


def _pick(draw, book, clinician, fate, day, hour):
    """Somebody whom this clinician may see at this time; some people come far more often than others."""
    for attempt in range(30):
        person = book["order"][int(len(book["order"]) * draw.random() ** 1.8)]
        row = person["row"]
        child = clinician["specialty"] == "pediatrics"
        fits = person["minor"] == child or (person["minor"] and clinician["specialty"] == "dermatology")
        if not fits or row["address_state"] not in clinician["licensed_states"] or person["joined"] >= min(day, 0):
            continue
        if fate in ("booked", "checked_in") and row["status"] == "inactive":
            continue
        if fate in ("checked_in", "completed") and row["consent_on"] is None:
            continue
        if (row["patient_id"], day, hour) not in book["busy"]:
            book["busy"].add((row["patient_id"], day, hour))
            return person
    return None


def _add_slot(world, book, clinician, day, hour, quarter, fate):
    draw = world.random
    person = None if fate in ("open", "blocked") else _pick(draw, book, clinician, fate, day, hour)
    if person is None and fate != "blocked":
        fate = "open"
    by = draw.choices(("patient", "practice"), (70, 30))[0] if fate == "canceled" else None
    if by == "patient" and person["joined"] > min(day - NOTICE, 0) - 2:
        by = "practice"
    reason = draw.choice(BLOCKS) if fate == "blocked" or by == "practice" else None
    status = "booked" if fate in ("booked", "checked_in", "completed", "no_show") else "blocked" if reason else "open"
    slot = world.insert(
        "slot",
        clinician_id=clinician["clinician_id"],
        starts_at=world.moment(day, f"{hour:02d}:{quarter:02d}"),
        minutes=draw.choice(MINUTES[clinician["specialty"]]),
        status=status,
        block_reason=reason,
    )
    if person is not None:
        _add_visit(world, book, clinician, slot, person, day, hour, fate, by, reason)


def _add_visit(world, book, clinician, slot, person, day, hour, fate, by, practice_reason):
    draw = world.random
    patient_id, starts_at = person["row"]["patient_id"], slot["starts_at"]
    theme = (patient_id, clinician["specialty"])
    complaint = draw.choice(COMPLAINTS[clinician["specialty"]])
    if theme in book["last"] and draw.random() < 0.4:
        complaint = book["last"][theme]
    book["last"][theme] = complaint
    booked_day = max(min(day - draw.randrange(1, 25), -1), person["joined"])
    if by == "patient":  # in time to cancel
        booked_day = max(min(day - NOTICE, 0) - draw.randrange(2, 22), person["joined"])
    canceled_at, cancel_reason, checked_in_at, completed_at, summary = None, None, None, None, None
    if fate == "canceled":
        canceled_at = _canceled_at(world, booked_day, day - NOTICE if by == "patient" else day - 1)
        cancel_reason = practice_reason
        if by == "patient" and draw.random() < 0.75:
            cancel_reason = draw.choice(PATIENT_CANCELS)
    if fate in ("checked_in", "completed"):
        checked_in_at = starts_at if hour == 8 else add_minutes(starts_at, -draw.randrange(1, 9))
        if day == 0 and hour == 11:
            checked_in_at = world.moment(0, f"10:{draw.randrange(12, 30)}")
    if fate == "completed":
        completed_at = add_minutes(starts_at, slot["minutes"] - draw.randrange(5))
        summary = f"{draw.choice(complaint[2])} {draw.choice(ADVICE[complaint[1]])}"
    visit = world.insert(
        "visit",
        patient_id=patient_id,
        slot_id=slot["slot_id"],
        reason=f"{complaint[0]} {draw.choice(ONSETS[complaint[1]])}",
        status=fate,
        created_at=world.moment(booked_day, _time(draw, 6, 18)),
        reschedules=0 if person["row"]["plan"] == "basic" else draw.choices((0, 1, 2, 3), (52, 30, 12, 6))[0],
        canceled_by=by,
        canceled_at=canceled_at,
        cancel_reason=cancel_reason,
        checked_in_at=checked_in_at,
        completed_at=completed_at,
        summary=summary,
    )
    if fate == "completed":
        first = book["completed"] == 0
        book["completed"] += 1
        _add_charge(world, person, visit["visit_id"], "visit", clinician["visit_fee_cents"], None, completed_at)
        if first or draw.random() < 0.62:
            _add_prescription(world, book, patient_id, visit["visit_id"], complaint, day, first)
        if first or draw.random() < 0.4:
            _add_lab_order(world, book, patient_id, visit["visit_id"], day)
    if fate == "no_show" and draw.random() < 0.6:
        note = draw.choice(NOTES["no_show_fee"]) if draw.random() < 0.7 else None
        _add_charge(world, person, visit["visit_id"], "no_show_fee", 4000, note, add_minutes(starts_at, 20))
    late = by == "patient" and day < 0 and days_between(canceled_at[:10], starts_at[:10]) < 7
    if late and draw.random() < 0.7:
        note = draw.choice(NOTES["late_cancellation_fee"]) if draw.random() < 0.7 else None
        _add_charge(world, person, visit["visit_id"], "late_cancellation_fee", 2500, note, starts_at)


def _canceled_at(world, booked_day, last):
    """After the booking, not after the day `last`, and before the clock; often on the last day."""
    draw = world.random
    last = min(last, -1)
    if booked_day >= last:
        return world.moment(booked_day, _time(draw, 18, 23))
    chosen = last if draw.random() < 0.4 else draw.randrange(booked_day + 1, last + 1)
    return world.moment(chosen, _time(draw, 6, 23))


def _add_prescription(world, book, patient_id, visit_id, complaint, day, first):
    draw = world.random
    name = draw.choice(complaint[3])
    strengths, way, supplies, refills, controlled = MEDICINES[name]
    medication = f"{name} {draw.choice(strengths)}"
    directions, per_day = DIRECTIONS[way]
    supply, allowed = draw.choice(supplies), draw.choice(refills)
    if first:
        allowed = max(allowed, 1)
    step = min(max(supply - 4, 4), REFILL_DAYS - 6)
    possible = 0 if first else max(0, min(allowed, min(-2 - day, REFILL_DAYS - 1) // step))
    used = possible if draw.random() < 0.55 else draw.randrange(possible + 1)
    fills = [_open_day(world, day + step * (turn + 1)) for turn in range(used)]
    last_day = max([day] + fills)
    usable = day + 365 >= 0
    stopped = draw.random() < 0.2 or (usable and (patient_id, medication) in book["usable"])
    if usable and not stopped:
        book["usable"].add((patient_id, medication))
    row = world.insert(
        "prescription",
        visit_id=visit_id,
        medication=medication,
        directions=directions,
        quantity=per_day * supply if per_day else 1,
        days_supply=supply,
        refills_allowed=allowed,
        refills_left=allowed - used,
        is_controlled=controlled,
        status="discontinued" if stopped else "active",
        written_on=world.day(day),
        last_filled_on=world.day(last_day),
        expires_on=add_days(world.day(day), 365),
        stop_reason=draw.choice(STOPS) if stopped else None,
    )
    for fill in fills:
        _add_refill(world, row["prescription_id"], "approved", fill, fill, None)
    roll = 0.6 if first else draw.random()
    latest = day + REFILL_DAYS
    asked = max(last_day + 1, -draw.randrange(1, 5))
    if used == allowed:
        return
    if not stopped and usable and last_day < -2 and asked <= latest and roll < 0.5:
        _add_refill(world, row["prescription_id"], "pending", asked, None, None)
    elif last_day < -6 and last_day < latest and roll < 0.75:
        end = min(latest, -6)
        asked = draw.randrange(max(last_day + 1, end - 24), end + 1)
        note = "Prescription discontinued" if stopped else draw.choice(DENIALS)
        _add_refill(world, row["prescription_id"], "denied", asked, _open_day(world, asked + draw.randrange(3)), note)


def _add_refill(world, prescription_id, status, asked, decided, decision_note):
    draw = world.random
    world.insert(
        "refill",
        prescription_id=prescription_id,
        status=status,
        note=draw.choice(REFILL_NOTES) if draw.random() < 0.5 else None,
        created_at=world.moment(asked, _time(draw, 6, 22)),
        decided_on=None if decided is None else world.day(decided),
        decision_note=decision_note,
    )


def _add_lab_order(world, book, patient_id, visit_id, day):
    draw = world.random
    test = draw.choice(TESTS)
    weights = (14, 16, 58, 12) if day < -10 else (45, 30, 15, 10)
    status = draw.choices(("ordered", "resulted", "released", "canceled"), weights)[0]
    if day > -2 and status in ("resulted", "released"):
        status = "ordered"
    if status == "ordered" and (patient_id, test[0]) in book["waiting"]:
        status = "canceled"
    if status == "ordered":
        book["waiting"].add((patient_id, test[0]))
    done = status in ("resulted", "released")
    result_day = _open_day(world, min(day + draw.randrange(1, 7), -1))
    release_day = _open_day(world, min(result_day + draw.randrange(4), 0))
    reading = draw.choices((0, 1, 2), (62, 30, 8))[0]
    low, high = test[4 + reading]
    world.insert(
        "lab_order",
        visit_id=visit_id,
        test_name=test[0],
        needs_fasting=test[1],
        status=status,
        ordered_on=world.day(day),
        resulted_on=world.day(result_day) if done else None,
        result=f"{draw.randrange(low, high + 1) / test[3]:g} {test[2]}" if done else None,
        flag=("normal", "abnormal", "critical")[reading] if done else None,
        released_on=world.day(release_day) if status == "released" else None,
        cancel_reason=draw.choice(LAB_CANCELS) if status == "canceled" else None,
    )


def _add_fees(world, person):
    draw = world.random
    plan = person["row"]["plan"]
    months = draw.choices((0, 1, 2, 3), (40, 30, 20, 10))[0] if plan != "basic" else 0
    for month in range(months):
        day = _open_day(world, -draw.randrange(3, 8) - 30 * month)
        if day > person["joined"]:
            note = draw.choice(NOTES["plan_fee"]) if draw.random() < 0.6 else None
            amount = 1500 if plan == "plus" else 2900
            _add_charge(world, person, None, "plan_fee", amount, note, world.moment(day, _time(draw, 8, 18)))
    if draw.random() < 0.12:
        day = _open_day(world, max(-draw.randrange(2, 120), person["joined"]))
        note = draw.choice(NOTES["records_fee"]) if draw.random() < 0.8 else None
        _add_charge(
            world,
            person,
            None,
            "records_fee",
            draw.choice((1500, 2000, 2500)),
            note,
            world.moment(day, _time(draw, 8, 18)),
        )


def _add_charge(world, person, visit_id, kind, amount, note, created_at):
    draw = world.random
    created_on = created_at[:10]
    age = days_between(created_on, world.today)
    how = draw.choices(("paid", "unpaid", "part", "credit", "waived", "refunded"), (46, 27, 10, 6, 6, 5))[0]
    if how in ("unpaid", "part") and age > 120 and draw.random() < 0.8:
        how = "paid"
    if person["row"]["status"] == "inactive":
        how = draw.choice(("paid", "waived"))
    half = amount // 2
    paid = amount if how in ("paid", "refunded") else half if how == "part" else 0
    refunded = draw.choice((half, amount)) if how == "refunded" else 0
    credited = draw.choice((half, amount)) if how == "credit" else 0
    waived = amount if how == "waived" else 0
    reason = draw.choice(WAIVERS) if waived else draw.choice(REFUNDS) if refunded else None
    world.insert(
        "charge",
        patient_id=person["row"]["patient_id"],
        visit_id=visit_id,
        kind=kind,
        note=note,
        amount_cents=amount,
        paid_cents=paid,
        refunded_cents=refunded,
        credited_cents=credited,
        waived_cents=waived,
        created_at=created_at,
        due_on=add_days(created_on, 30),
        last_paid_on=add_days(created_on, draw.randrange(min(age, 45) + 1)) if paid else None,
        adjustment_note=reason,
    )
